import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../api/meta/object.ts'
import { quote } from '../../lib/go-quote.ts'
import { type LinearRegExp, linearRegExp } from '../../lib/linear-regexp.ts'
import { isStepDone, type Steps, sortInSteps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { isFloatIn } from '../../meta/whole-floats.ts'
import type { Correlation } from './correlation.ts'
import { checkEnum } from './enum-check.ts'
import { formatCheck, isTextFormat } from './formats.ts'
import { checkNumber } from './number-checks.ts'
import { additionalSchema, itemsSchema, propertySchema } from './props.ts'
import { checkValueType, typeFault } from './type-check.ts'
import { type ValueFault, ValueResult } from './value-result.ts'
import type { ValueRules } from './value-rules.ts'

/** Values that are checked per step. */
const STEP = 64

/** Members of the root that are not compared with the old object, because both are in the same version. */
const TYPE_MEMBERS = ['kind', 'apiVersion']

/** Correlation of a value with its predecessor. Undefined if that is not known. */
type Before = Correlation | undefined

/** A value and the schema that it is checked against. */
interface CheckedValue {
  readonly value: Json
  readonly schema: JsonSchemaProps
  /** Path within the root, as in messages. Empty for the root. */
  readonly name: string
  readonly before: Before
  /** Whether a whole number is a float in Go. */
  readonly isFloat: boolean
}

/**
 * Checks one value in steps, up to bodies of megabytes. Constraints are checked in upstream's order, and those that are
 * satisfied are counted: if all alternatives fail, the best one is reported. Source: go-openapi/validate as
 * apiextensions-apiserver calls it.
 */
export class ValueChecker {
  readonly #rules: ValueRules
  #looked = 0

  constructor(rules: ValueRules) {
    this.#rules = rules
  }

  /** Checks the whole value. Faults in unchanged parts are dropped. */
  root(value: Json, before: Before, schema: JsonSchemaProps): Steps<ValueResult> {
    return this.#part({ value, schema, name: '', before, isFloat: false })
  }

  /** Checks a part. An unchanged value is valid. */
  *#part(subject: CheckedValue): Steps<ValueResult> {
    const result = yield* this.#check(subject)
    return !result.valid && subject.before?.unchanged ? new ValueResult() : result
  }

  /**
   * Null is checked against type and enum only. Each group of constraints that applies counts as satisfied or not,
   * which ranks the alternatives of `anyOf` and `oneOf`.
   */
  *#check(subject: CheckedValue): Steps<ValueResult> {
    const { value, schema, name, isFloat } = subject
    if (++this.#looked % STEP === 0) yield
    const result = new ValueResult()
    if (value === null)
      return result.merge(checkValueType(value, schema, name, false, this.#rules)).merge(checkEnum(value, schema, name, false))
    const step = (outcome: ValueResult | undefined): void => {
      result.merge(outcome).count()
    }
    if (schema.type !== undefined || schema.format !== undefined || schema['x-kubernetes-int-or-string'])
      step(checkValueType(value, schema, name, isFloat, this.#rules))
    step(yield* this.#junctors(subject))
    if (typeof value === 'string') {
      step(yield* checkText(value, schema, name))
      const { format } = schema
      const matches = format !== undefined && isTextFormat(format, this.#rules) ? formatCheck(format) : undefined
      if (format !== undefined && matches) step(matches(value) ? undefined : ValueResult.of(typeFault(name, format, value)))
    }
    if (typeof value === 'number' || typeof value === 'bigint') step(checkNumber(value, schema, name, isFloat, this.#rules))
    if (Array.isArray(value)) step(yield* this.#list(value, subject))
    step(checkEnum(value, schema, name, isFloat))
    if (typeof value === 'object' && !Array.isArray(value)) step(yield* this.#members(value, subject))
    return result.count()
  }

  /** Items come before the length. Checking stops when the result is full: further errors would not be reported. */
  *#list(value: readonly Json[], { schema, name, before }: CheckedValue): Steps<ValueResult> {
    const result = new ValueResult()
    const items = itemsSchema(schema)
    const { minItems, maxItems } = schema
    if (items) {
      for (const [i, item] of value.entries()) {
        result.merge(
          yield* this.#part({
            value: item,
            schema: items,
            name: `${name}[${i}]`,
            before: before?.index(i),
            isFloat: isFloatIn(value, i, item),
          }),
        )
        if (result.isFull) break
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      result.add({
        kind: 'tooFew',
        name,
        value: value.length,
        min: Number(minItems),
        message: `${name} in body should have at least ${minItems} items`,
      })
    }
    if (maxItems !== undefined && value.length > maxItems) {
      result.add({
        kind: 'tooMany',
        name,
        value: value.length,
        max: Number(maxItems),
        message: `${name} in body should have at most ${maxItems} items`,
      })
    }
    return result.count()
  }

  /** The order is that of upstream's errors: size, members without a property, properties, required members. */
  *#members(object: JsonObject, { schema, name, before }: CheckedValue): Steps<ValueResult> {
    const names = yield* memberNames(object)
    const result = checkSize(names.length, schema, name)
    const member = (key: string, inner: JsonSchemaProps, path: string, old: Before): Steps<ValueResult> => {
      const value = object[key] ?? null
      return this.#part({ value, schema: inner, name: path, before: old, isFloat: isFloatIn(object, key, value) })
    }
    const additional = additionalSchema(schema)
    for (const key of names) {
      if (isStepDone()) yield
      if (propertySchema(schema, key)) continue
      if (schema.additionalProperties === false)
        result.add({ kind: 'other', name, value: key, message: `${name}.${key} in body is a forbidden property` })
      else if (additional) result.merge(yield* member(key, additional, `${name}.${key}`, before?.key(key)))
    }
    for (const key of yield* knownMembers(names, schema)) {
      if (isStepDone()) yield
      const property = propertySchema(schema, key)
      if (!property) continue
      const old = name === '' && TYPE_MEMBERS.includes(key) ? undefined : before?.key(key)
      result.merge(yield* member(key, property, name === '' ? key : `${name}.${key}`, old))
    }
    for (const key of schema.required ?? []) {
      if (isStepDone()) yield
      if (!Object.hasOwn(object, key))
        result.add({ kind: 'required', name: `${name}.${key}`, message: `${name}.${key} in body is required` })
    }
    return result
  }

  /** Checks `anyOf`, `oneOf`, `allOf` and `not`. */
  *#junctors(subject: CheckedValue): Steps<ValueResult> {
    const { schema, name } = subject
    const result = new ValueResult()
    const anyOf = yield* this.#clauses(subject, schema.anyOf)
    if (anyOf.length > 0) {
      const valid = anyOf.find(outcome => outcome.valid)
      if (!valid) result.add(plainFault(`${quote(name)} must validate at least one schema (anyOf)`))
      result.merge(valid ?? best(anyOf))
    }
    const oneOf = yield* this.#clauses(subject, schema.oneOf)
    if (oneOf.length > 0) {
      const valid = oneOf.filter(outcome => outcome.valid)
      if (valid.length === 1) result.merge(valid[0])
      else {
        const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`
        result.add(plainFault(`${quote(name)} must validate one and only one schema (oneOf). ${found}`))
        if (valid.length === 0) result.merge(best(oneOf))
      }
    }
    const allOf = yield* this.#clauses(subject, schema.allOf)
    for (const outcome of allOf) result.merge(outcome)
    const valid = allOf.filter(outcome => outcome.valid).length
    if (valid !== allOf.length)
      result.add(plainFault(`${quote(name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`))
    if (schema.not && (yield* this.#check({ ...subject, schema: schema.not })).valid)
      result.add(plainFault(`${quote(name)} must not validate the schema (not)`))
    return result.count()
  }

  *#clauses(subject: CheckedValue, clauses: readonly JsonSchemaProps[] = []): Steps<ValueResult[]> {
    const outcomes: ValueResult[] = []
    for (const schema of clauses) outcomes.push(yield* this.#check({ ...subject, schema }))
    return outcomes
  }
}

/**
 * Returns the first fault only: maximum before minimum before pattern. Lengths are in characters, not in UTF-16 units
 * or bytes.
 */
function* checkText(value: string, schema: JsonSchemaProps, name: string): Steps<ValueResult | undefined> {
  const { minLength, maxLength, pattern } = schema
  const length = maxLength === undefined && minLength === undefined ? 0 : charactersOf(value)
  if (maxLength !== undefined && length > maxLength) {
    return ValueResult.of({
      kind: 'tooLong',
      name,
      value,
      max: Number(maxLength),
      message: `${name} in body should be at most ${maxLength} chars long`,
    })
  }
  if (minLength !== undefined && length < minLength) {
    return ValueResult.of({
      kind: 'tooShort',
      name,
      value,
      min: Number(minLength),
      message: `${name} in body should be at least ${minLength} chars long`,
    })
  }
  if (pattern !== undefined && !(yield* isFound(schema, pattern, value))) {
    return ValueResult.of({ kind: 'other', name, value, message: `${name} in body should match '${pattern}'` })
  }
  return undefined
}

/** Counts characters. Those beyond 0xffff have two units. */
function charactersOf(text: string): number {
  let count = text.length
  for (let i = 1; i < text.length; i++)
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) count--
  return count
}

/** Whether a pattern matches anywhere in a text. An invalid pattern matches nothing. */
function* isFound(schema: JsonSchemaProps, pattern: string, text: string): Steps<boolean> {
  const compiled = compiledPattern(schema, pattern)
  yield
  return compiled !== undefined && (yield* compiled.search(text))
}

/** Patterns compiled once for each schema, which is immutable. */
const patterns = new WeakMap<JsonSchemaProps, LinearRegExp>()

function compiledPattern(schema: JsonSchemaProps, pattern: string): LinearRegExp | undefined {
  let compiled = patterns.get(schema)
  if (!compiled) {
    compiled = linearRegExp(pattern)
    if (compiled) patterns.set(schema, compiled)
  }
  return compiled
}

function checkSize(members: number, { minProperties, maxProperties }: JsonSchemaProps, name: string): ValueResult {
  const result = new ValueResult()
  if (minProperties !== undefined && members < minProperties) {
    const message = `${name} in body should have at least ${minProperties} properties`
    result.add({ kind: 'tooFew', name, value: members, min: Number(minProperties), message })
  }
  if (maxProperties !== undefined && members > maxProperties) {
    const message = `${name} in body should have at most ${maxProperties} properties`
    result.add({ kind: 'tooMany', name, value: members, max: Number(maxProperties), message })
  }
  return result
}

/** Number of members from which listing or sorting them takes milliseconds. */
const MANY = 1024

/** Indices of a schema's properties, by name. */
const positions = new WeakMap<object, ReadonlyMap<string, number>>()

/** Returns the members of a value that the schema has, in the schema's order, which is that of the errors. */
function* knownMembers(names: readonly string[], { properties }: JsonSchemaProps): Steps<string[]> {
  if (!properties) return []
  let known = positions.get(properties)
  if (!known) {
    const made = new Map<string, number>()
    for (const name of yield* memberNames(properties)) {
      if (isStepDone()) yield
      made.set(name, made.size)
    }
    positions.set(properties, made)
    known = made
  }
  const found: { readonly name: string; readonly at: number }[] = []
  for (const name of names) {
    if (isStepDone()) yield
    const at = known.get(name)
    if (at !== undefined) found.push({ name, at })
  }
  const ordered = found.length > MANY ? yield* sortInSteps(found, (a, b) => a.at - b.at) : found.sort((a, b) => a.at - b.at)
  return ordered.map(({ name }) => name)
}

const plainFault = (message: string): ValueFault => ({ kind: 'plain', name: '', message })

/** Returns the first of the outcomes that satisfied the most constraints. */
const best = (outcomes: readonly ValueResult[]): ValueResult | undefined =>
  outcomes.reduce<ValueResult | undefined>(
    (found, outcome) => (found === undefined || outcome.met > found.met ? outcome : found),
    undefined,
  )
