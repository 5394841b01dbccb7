import { formatDouble } from '../../lib/format-double.ts'
import { quote } from '../../lib/go-quote.ts'
import { type LinearRegExp, linearRegExp } from '../../lib/linear-regexp.ts'
import type { Steps } from '../../lib/steps.ts'
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid, verbatim } from '../../meta/field-error.ts'
import { FieldPath } from '../../meta/field-path.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
import { isFloatIn } from '../../meta/whole-floats.ts'
import { Correlation } from './correlation.ts'
import { checkEnum } from './enum-check.ts'
import { FORMATS } from './formats.ts'
import { goValue } from './go-value.ts'
import { checkNumber } from './number-checks.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'
import { checkType, typeFault } from './type-check.ts'
import { type ValueFault, ValueResult } from './value-result.ts'

/** UTF-16 units of the texts of errors: one that names a long list of values may be made very often. */
const MOST_TEXT = 8 * 1024 * 1024

/**
 * What is wrong with a value by its structural schema, as the field errors of upstream, at `path`; in steps. Rules in the expression language are not looked at. Where the value takes the place of
 * another, `old`, what is wrong with a part that stays as it was is passed over.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
export function* valueSteps(value: Json, old: Json | undefined, schema: JsonSchemaProps, path: FieldPath): Steps<FieldError[]> {
  const { faults } = yield* old === undefined ? check(value, schema, '') : checkUpdate(value, new Correlation(value, old, schema), schema, '')
  const errors: FieldError[] = []
  let length = 0
  for (const fault of faults) {
    const error = fieldError(fault, path)
    errors.push(error)
    length += error.body.length
    if (length > MOST_TEXT) break
    yield
  }
  return errors
}

/** What stood in the place of a value, beside it; undefined where that can't be told. */
type Before = Correlation | undefined

function* checkUpdate(value: Json, before: Before, schema: JsonSchemaProps, name: string, isFloat = false): Steps<ValueResult> {
  const result = yield* check(value, schema, name, before, isFloat)
  return !result.valid && before?.unchanged ? new ValueResult() : result
}

/** How upstream calls an object as a whole. */
const NO_PATH = new FieldPath('<nil>')

function fieldError({ kind, name, value, isFloat, message, max = -1, allowed = [] }: ValueFault, path: FieldPath): FieldError {
  const self = path.text === '' ? NO_PATH : path
  const at = name === '' || name === '.' ? self : path.child(name.replace(/^\./, ''))
  const shown = isFloat ? verbatim(formatDouble(value as number)) : goValue(value)
  switch (kind) {
    case 'plain':
      return invalid(self, '', message)
    case 'required':
      return required(at)
    case 'enum':
      return notSupported(
        at,
        shown,
        allowed.map(one =>
          typeof one === 'string' ? one : JSON.stringify(one, (_, member: unknown) => (typeof member === 'bigint' ? Number(member) : member)),
        ),
      )
    case 'tooLong':
      return tooLong(at, max)
    case 'tooMany':
      return tooMany(at, Number(value), max)
    case 'type':
      return typeInvalid(at, goValue(value) ?? '', message)
    case 'other':
      return invalid(at, shown ?? '', message)
  }
}

/** Values that are looked at in one step. */
const STEP = 64
let looked = 0

/** `isFloat`: a whole number that is a float to Go. */
function* check(value: Json, schema: JsonSchemaProps, name: string, before?: Before, isFloat = false): Steps<ValueResult> {
  if (++looked % STEP === 0) yield
  const result = new ValueResult()
  if (value === null) return result.merge(checkType(value, schema, name, false)).merge(checkEnum(value, schema, name, false))
  const step = (outcome: ValueResult | undefined): void => {
    result.merge(outcome).count()
  }
  if (schema.type !== undefined || schema.format !== undefined || schema['x-kubernetes-int-or-string']) step(checkType(value, schema, name, isFloat))
  step(yield* checkJunctors(value, schema, name, before, isFloat))
  if (typeof value === 'string') {
    step(yield* checkText(value, schema, name))
    const format = schema.format === undefined ? undefined : FORMATS.get(schema.format.replaceAll('-', ''))
    if (format) step(format(value) ? undefined : ValueResult.of(typeFault(name, schema.format as string, value)))
  }
  if (typeof value === 'number' || typeof value === 'bigint') step(checkNumber(value, schema, name, isFloat))
  if (Array.isArray(value)) step(yield* checkList(value, schema, name, before))
  step(checkEnum(value, schema, name, isFloat))
  if (typeof value === 'object' && !Array.isArray(value)) step(yield* checkMembers(value, schema, name, before))
  return result.count()
}

function* checkText(value: string, schema: JsonSchemaProps, name: string): Steps<ValueResult | undefined> {
  const { minLength, maxLength, pattern } = schema
  const length = maxLength === undefined && minLength === undefined ? 0 : charactersOf(value)
  if (maxLength !== undefined && length > maxLength) {
    return ValueResult.of({ kind: 'tooLong', name, value, max: Number(maxLength), message: `${name} in body should be at most ${maxLength} chars long` })
  }
  if (minLength !== undefined && length < minLength) {
    return ValueResult.of({ kind: 'other', name, value, message: `${name} in body should be at least ${minLength} chars long` })
  }
  if (pattern !== undefined && !(yield* isFound(schema, value))) {
    return ValueResult.of({ kind: 'other', name, value, message: `${name} in body should match '${pattern}'` })
  }
  return undefined
}

/** Characters beyond 0xffff have two units. */
function charactersOf(text: string): number {
  let count = text.length
  for (let i = 1; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--
  return count
}

function* isFound(schema: JsonSchemaProps, text: string): Steps<boolean> {
  const pattern = patternOf(schema)
  yield
  return pattern !== undefined && (yield* pattern.search(text))
}

const patterns = new WeakMap<JsonSchemaProps, LinearRegExp>()

/** Compiled once for each schema. */
function patternOf(schema: JsonSchemaProps): LinearRegExp | undefined {
  let compiled = patterns.get(schema)
  if (!compiled) {
    compiled = linearRegExp(schema.pattern as string)
    if (compiled) patterns.set(schema, compiled)
  }
  return compiled
}

function* checkList(value: readonly Json[], schema: JsonSchemaProps, name: string, before: Before): Steps<ValueResult> {
  const result = new ValueResult()
  const items = itemsSchema(schema)
  const { minItems, maxItems } = schema
  if (items) {
    for (const [i, item] of value.entries()) {
      result.merge(yield* checkUpdate(item, before?.index(i), items, `${name}[${i}]`, isFloatIn(value, i, item)))
      if (result.isFull) break
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    result.add({ kind: 'other', name, value: value.length, message: `${name} in body should have at least ${minItems} items` })
  }
  if (maxItems !== undefined && value.length > maxItems) {
    result.add({ kind: 'tooMany', name, value: value.length, max: Number(maxItems), message: `${name} in body should have at most ${maxItems} items` })
  }
  return result.count()
}

function checkMember(object: JsonObject, member: string, before: Before, schema: JsonSchemaProps, name: string): Steps<ValueResult> {
  const value = object[member] as Json
  return checkUpdate(value, before, schema, name, isFloatIn(object, member, value))
}

/** A change of these at the root can't be seen: both objects are in one version. */
const TYPE_MEMBERS = ['kind', 'apiVersion']

function* checkMembers(value: JsonObject, schema: JsonSchemaProps, name: string, before: Before): Steps<ValueResult> {
  const result = new ValueResult()
  const names = Object.keys(value)
  const { minProperties, maxProperties } = schema
  if (minProperties !== undefined && names.length < minProperties) {
    result.add({ kind: 'other', name, value: names.length, message: `${name} in body should have at least ${minProperties} properties` })
  }
  if (maxProperties !== undefined && names.length > maxProperties) {
    const message = `${name} in body should have at most ${maxProperties} properties`
    result.add({ kind: 'tooMany', name, value: names.length, max: Number(maxProperties), message })
  }
  const additional = additionalSchema(schema)
  for (const member of names) {
    if (propertySchema(schema, member)) continue
    if (schema.additionalProperties === false) result.add({ kind: 'other', name, value: member, message: `${name}.${member} in body is a forbidden property` })
    else if (additional) result.merge(yield* checkMember(value, member, before?.key(member), additional, `${name}.${member}`))
  }
  for (const member of knownMembers(names, schema)) {
    const property = propertySchema(schema, member)
    if (!property) continue
    const old = name === '' && TYPE_MEMBERS.includes(member) ? undefined : before?.key(member)
    result.merge(yield* checkMember(value, member, old, property, name === '' ? member : `${name}.${member}`))
  }
  for (const member of schema.required ?? []) {
    if (!Object.hasOwn(value, member)) result.add({ kind: 'required', name: `${name}.${member}`, message: `${name}.${member} in body is required` })
  }
  return result
}

const positions = new WeakMap<object, Map<string, number>>()

/** Those of a value's members that the schema has, in the schema's order. */
function knownMembers(names: readonly string[], { properties }: JsonSchemaProps): string[] {
  if (!properties) return []
  let known = positions.get(properties)
  if (!known) {
    known = new Map(Object.keys(properties).map((name, i) => [name, i]))
    positions.set(properties, known)
  }
  const order = known
  return names.filter(name => order.has(name)).sort((a, b) => (order.get(a) as number) - (order.get(b) as number))
}

const plain = (message: string): ValueFault => ({ kind: 'plain', name: '', message })

function* checkJunctors(value: Json, schema: JsonSchemaProps, name: string, before: Before, isFloat: boolean): Steps<ValueResult> {
  const result = new ValueResult()
  const all = function* (clauses: readonly JsonSchemaProps[] = []): Steps<ValueResult[]> {
    const outcomes: ValueResult[] = []
    for (const clause of clauses) outcomes.push(yield* check(value, clause, name, before, isFloat))
    return outcomes
  }
  const anyOf = yield* all(schema.anyOf)
  if (anyOf.length > 0) {
    const valid = anyOf.find(outcome => outcome.valid)
    if (!valid) result.add(plain(`${quote(name)} must validate at least one schema (anyOf)`))
    result.merge(valid ?? best(anyOf))
  }
  const oneOf = yield* all(schema.oneOf)
  if (oneOf.length > 0) {
    const valid = oneOf.filter(outcome => outcome.valid)
    if (valid.length === 1) result.merge(valid[0])
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
      result.add(plain(`${quote(name)} must validate one and only one schema (oneOf). ${found}`))
      if (valid.length === 0) result.merge(best(oneOf))
    }
  }
  const allOf = yield* all(schema.allOf)
  for (const outcome of allOf) result.merge(outcome)
  const valid = allOf.filter(outcome => outcome.valid).length
  if (valid !== allOf.length) result.add(plain(`${quote(name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`))
  if (schema.not && (yield* check(value, schema.not, name, before, isFloat)).valid) result.add(plain(`${quote(name)} must not validate the schema (not)`))
  return result.count()
}

/** The first of those that met the most demands. */
const best = (outcomes: readonly ValueResult[]): ValueResult | undefined =>
  outcomes.reduce<ValueResult | undefined>((found, outcome) => (found === undefined || outcome.met > found.met ? outcome : found), undefined)
