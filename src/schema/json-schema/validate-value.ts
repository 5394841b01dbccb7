import { type LinearRegExp, linearRegExp } from '../../lib/linear-regexp.ts'
import { deepEqual, ownMember } from '../../meta/equal.ts'
import { type FieldError, invalid, notSupported, quote, required, tooLong, tooMany, typeInvalid } from '../../meta/field-error.ts'
import { FieldPath } from '../../meta/field-path.ts'
import type { Json, JsonObject } from '../../meta/object.ts'
import { FORMATS } from './formats.ts'
import { goValue } from './go-value.ts'
import { checkNumber } from './number-checks.ts'
import { additionalSchema, itemsSchema, type JsonSchemaProps, propertySchema } from './props.ts'
import { type ValueFault, ValueResult } from './value-result.ts'

/** What is wrong with a value by its structural schema, as the field errors of upstream, at `path`. Rules in the expression language are not looked at. */
export function validateValue(value: Json, schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  return check(value, schema, '').faults.map(fault => fieldError(fault, path))
}

/**
 * The same of a value that takes the place of another: what is wrong with a part that stays as it was is passed over.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-ratcheting
 */
export function validateValueUpdate(value: Json, old: Json | undefined, schema: JsonSchemaProps, path: FieldPath): FieldError[] {
  const before = old === undefined ? undefined : { value: old }
  return checkUpdate(value, before, schema, '').faults.map(fault => fieldError(fault, path))
}

/** What stood in the place of a value; undefined where that can't be told. */
type Before = { readonly value: Json } | undefined

function checkUpdate(value: Json, before: Before, schema: JsonSchemaProps, name: string): ValueResult {
  const result = check(value, schema, name, before)
  return !result.valid && before && deepEqual(before.value, value) ? new ValueResult() : result
}

/** How upstream calls an object as a whole. */
const NO_PATH = new FieldPath('<nil>')

function fieldError({ kind, name, value, message, max = -1, allowed = [] }: ValueFault, path: FieldPath): FieldError {
  const self = path.text === '' ? NO_PATH : path
  const at = name === '' || name === '.' ? self : path.child(name.replace(/^\./, ''))
  switch (kind) {
    case 'plain':
      return invalid(self, '', message)
    case 'required':
      return required(at)
    case 'enum':
      return notSupported(
        at,
        goValue(value),
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
      return invalid(at, goValue(value) ?? '', message)
  }
}

/** What a JSON value is, as messages name it. */
function typeOf(value: Exclude<Json, null>): 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object' {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'object'
  // Beyond 2^53 only a bigint is known to be whole.
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'integer' : 'number'
}

function check(value: Json, schema: JsonSchemaProps, name: string, before?: Before): ValueResult {
  const result = new ValueResult()
  if (value === null) return result.merge(checkType(value, schema, name)).merge(checkEnum(value, schema, name))
  const step = (outcome: ValueResult | undefined): void => {
    result.merge(outcome).count()
  }
  if (schema.type !== undefined || schema.format !== undefined || schema['x-kubernetes-int-or-string']) step(checkType(value, schema, name))
  step(checkJunctors(value, schema, name, before))
  if (typeof value === 'string') {
    step(checkText(value, schema, name))
    const format = schema.format === undefined ? undefined : FORMATS.get(schema.format.replaceAll('-', ''))
    if (format) step(format(value) ? undefined : ValueResult.of(typeFault(name, schema.format as string, value)))
  }
  if (typeof value === 'number' || typeof value === 'bigint') step(checkNumber(value, schema, name))
  if (Array.isArray(value)) step(checkList(value, schema, name, before))
  step(checkEnum(value, schema, name))
  if (typeof value === 'object' && !Array.isArray(value)) step(checkMembers(value, schema, name, before))
  return result.count()
}

const typeFault = (name: string, wanted: string, found: string): ValueFault => ({
  kind: 'type',
  name,
  value: found,
  message: `${name} in body must be of type ${wanted}: ${quote(found)}`,
})

const NUMBER_FORMATS: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' }

function checkType(value: Json, schema: JsonSchemaProps, name: string): ValueResult {
  const { type = '', format, nullable } = schema
  const met = new ValueResult().count()
  if (schema['x-kubernetes-int-or-string']) return checkIntOrString(value, nullable === true, name)
  if (value === null) return type !== '' && !nullable ? ValueResult.of(typeFault(name, type, 'null')) : met
  const found = typeOf(value)
  const fits = type === found || (found === 'integer' && type === 'number')
  if (format !== undefined) {
    const own = NUMBER_FORMATS[found] ?? ''
    if (found !== 'string' && found !== 'array' && !fits && own !== format) return ValueResult.of(typeFault(name, format, own))
    if (type !== 'number' && type !== 'integer' && (found === 'string' || found === 'array')) return met
  }
  return fits ? met : ValueResult.of(typeFault(name, type, found))
}

function checkIntOrString(value: Json, nullable: boolean, name: string): ValueResult {
  const found = value === null ? 'null' : typeOf(value)
  if (found === 'integer' || found === 'string' || (found === 'null' && nullable)) return new ValueResult().count()
  return ValueResult.of(typeFault(name, 'integer,string', found))
}

function checkEnum(value: Json, schema: JsonSchemaProps, name: string): ValueResult | undefined {
  const allowed = schema.enum
  // A null that is allowed is not found, either: upstream compares no nulls.
  if (!allowed || (value !== null && allowed.some(one => one !== null && typeof one === typeof value && deepEqual(one, value)))) return undefined
  const texts = allowed.map(one => (typeof one === 'string' ? one : one === null ? '<nil>' : String(one))).join(' ')
  return ValueResult.of({ kind: 'enum', name, value, allowed, message: `${name} in body should be one of [${texts}]` })
}

function checkText(value: string, schema: JsonSchemaProps, name: string): ValueResult | undefined {
  const { minLength, maxLength, pattern } = schema
  const length = [...value].length
  if (maxLength !== undefined && length > maxLength) {
    return ValueResult.of({ kind: 'tooLong', name, value, max: Number(maxLength), message: `${name} in body should be at most ${maxLength} chars long` })
  }
  if (minLength !== undefined && length < minLength) {
    return ValueResult.of({ kind: 'other', name, value, message: `${name} in body should be at least ${minLength} chars long` })
  }
  if (pattern !== undefined && !patternOf(schema)?.foundIn(value)) {
    return ValueResult.of({ kind: 'other', name, value, message: `${name} in body should match '${pattern}'` })
  }
  return undefined
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

function checkList(value: readonly Json[], schema: JsonSchemaProps, name: string, before: Before): ValueResult {
  const result = new ValueResult()
  const items = itemsSchema(schema)
  const { minItems, maxItems } = schema
  if (items) {
    for (const [i, item] of value.entries()) result.merge(checkUpdate(item, itemBefore(item, schema, before), items, `${name}[${i}]`))
  }
  if (minItems !== undefined && value.length < minItems) {
    result.add({ kind: 'other', name, value: value.length, message: `${name} in body should have at least ${minItems} items` })
  }
  if (maxItems !== undefined && value.length > maxItems) {
    result.add({ kind: 'tooMany', name, value: value.length, max: Number(maxItems), message: `${name} in body should have at most ${maxItems} items` })
  }
  return result.count()
}

/** Items of a list are found again by their keys, where it has any. */
function itemBefore(item: Json, { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': keys = [] }: JsonSchemaProps, before: Before): Before {
  if (type !== 'map' || !before || !Array.isArray(before.value) || !isMembers(item)) return undefined
  const found = before.value.find(old => isMembers(old) && keys.every(key => deepEqual(ownMember(old, key), ownMember(item, key))))
  return found === undefined ? undefined : { value: found }
}

function memberBefore(member: string, before: Before): Before {
  const old = before && isMembers(before.value) ? ownMember(before.value, member) : undefined
  return old === undefined ? undefined : { value: old }
}

const isMembers = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A change of these at the root can't be seen: both objects are in one version. */
const TYPE_MEMBERS = ['kind', 'apiVersion']

function checkMembers(value: JsonObject, schema: JsonSchemaProps, name: string, before: Before): ValueResult {
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
    else if (additional) result.merge(checkUpdate(value[member] as Json, memberBefore(member, before), additional, `${name}.${member}`))
  }
  for (const [member, property] of Object.entries(schema.properties ?? {})) {
    if (!Object.hasOwn(value, member)) continue
    const old = name === '' && TYPE_MEMBERS.includes(member) ? undefined : memberBefore(member, before)
    result.merge(checkUpdate(value[member] as Json, old, property, name === '' ? member : `${name}.${member}`))
  }
  for (const member of schema.required ?? []) {
    if (!Object.hasOwn(value, member)) result.add({ kind: 'required', name: `${name}.${member}`, message: `${name}.${member} in body is required` })
  }
  return result
}

const plain = (message: string): ValueFault => ({ kind: 'plain', name: '', message })

function checkJunctors(value: Json, schema: JsonSchemaProps, name: string, before: Before): ValueResult {
  const result = new ValueResult()
  const all = (clauses: readonly JsonSchemaProps[] = []): ValueResult[] => clauses.map(clause => check(value, clause, name, before))
  const anyOf = all(schema.anyOf)
  if (anyOf.length > 0) {
    const valid = anyOf.find(outcome => outcome.valid)
    if (!valid) result.add(plain(`${quote(name)} must validate at least one schema (anyOf)`))
    result.merge(valid ?? best(anyOf))
  }
  const oneOf = all(schema.oneOf)
  if (oneOf.length > 0) {
    const valid = oneOf.filter(outcome => outcome.valid)
    if (valid.length === 1) result.merge(valid[0])
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
      result.add(plain(`${quote(name)} must validate one and only one schema (oneOf). ${found}`))
      if (valid.length === 0) result.merge(best(oneOf))
    }
  }
  const allOf = all(schema.allOf)
  for (const outcome of allOf) result.merge(outcome)
  const valid = allOf.filter(outcome => outcome.valid).length
  if (valid !== allOf.length) result.add(plain(`${quote(name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`))
  if (schema.not && check(value, schema.not, name, before).valid) result.add(plain(`${quote(name)} must not validate the schema (not)`))
  return result.count()
}

/** The first of those that met the most demands. */
const best = (outcomes: readonly ValueResult[]): ValueResult | undefined =>
  outcomes.reduce<ValueResult | undefined>((found, outcome) => (found === undefined || outcome.met > found.met ? outcome : found), undefined)
