import type { Json, JsonObject, KubeObject } from '../../../api/meta/object.ts'
import { TypedError } from '../../../apply/typed-list.ts'
import { mergeTyped } from '../../../apply/typed-merge.ts'
import { shapeOf, tracksElements } from '../../../apply/typed-schema.ts'
import { errorsText, validateTyped } from '../../../apply/typed-validate.ts'
import { printValue } from '../../../cel/values/print.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import { CelDuration, CelList, CelMap, CelTimestamp, CelUint, typeNameOf, type Value } from '../../../cel/values/value.ts'
import { CostLimitExceeded, withBoundedWork } from '../../../cel/work.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isScalar, type Schema, type StructSchema } from '../../../schema/schema.ts'
import { reflectType } from './go-type.ts'
import { MutationError } from './mutation-error.ts'
import { plainStruct, type ValuePosition } from './plain-values.ts'
import { checkTypeNames } from './type-names.ts'

/**
 * Merges the apply configuration that an expression returned into an object, as server-side apply does, but without
 * field ownership. Atomic lists, maps and structs are rejected, because setting one would silently remove its other
 * members. Throws a MutationError. Runs in steps.
 * @param refuseRepeated whether to reject an object whose associative lists have duplicate keys, as releases before
 * 1.35 do.
 */
export function* applyConfiguration(schema: StructSchema, live: KubeObject, value: Value, refuseRepeated: boolean): Steps<JsonObject> {
  if (!(value instanceof StructValue))
    throw new MutationError(`unsupported return type from ApplyConfiguration expression: ${typeNameOf(value)}`)
  yield* checkTypeNames(value)
  const errors: string[] = []
  const made = yield* plainStruct(value, { path: '', schema }, (stray, place) => {
    errors.push(boundedStrayText(stray, place))
    return undefined
  })
  const configuration = { ...made, apiVersion: live.apiVersion, kind: live.kind }
  errors.push(...(yield* validateTyped(schema, configuration)))
  if (errors.length > 0) throw mutationError(`failed to convert patch object to typed object: ${errorsText(errors)}`)
  const atomics: string[] = []
  yield* findAtomics(schema, configuration, '', atomics)
  if (atomics.length > 0)
    throw mutationError(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`)
  const misfits = refuseRepeated ? yield* validateTyped(schema, live) : []
  if (misfits.length > 0) throw mutationError(`failed to convert original object to typed object: ${errorsText(misfits)}`)
  try {
    return yield* mergeTyped(schema, live, configuration)
  } catch (error) {
    throw error instanceof TypedError ? mutationError(`failed to merge patch: ${error.message}`) : error
  }
}

const mutationError = (message: string): MutationError => new MutationError(`error applying patch: ${message}`)

/** Throws a MutationError if the value is too large to be printed. */
function boundedStrayText(value: Value, place: ValuePosition): string {
  try {
    return withBoundedWork(() => strayText(value, place))
  } catch (error) {
    throw error instanceof CostLimitExceeded ? mutationError(error.message) : error
  }
}

/** Error of structured-merge-diff for a value without a JSON form, at its path and schema. */
function strayText(value: Value, { path, schema }: ValuePosition): string {
  const { text, literal } = goForms(value)
  const complaint = (what: string): string => (path === '' ? what : `${path}: ${what}`)
  if (schema?.type === 'list') return complaint(`expected list, got &{${text}}`)
  if (schema === undefined || shapeOf(schema) === 'any' || !isScalar(schema)) {
    // Keys of list elements are read before their values are validated.
    const element = /^(.*)\[(\d+)\]$/.exec(path)
    if (element) return `${element[1]}: element ${element[2]}: associative list with keys may not have non-map elements`
    return complaint(`expected map, got &{${text}}`)
  }
  if (schema.type === 'integer' || schema.type === 'number') return complaint(`expected numeric (int or float), got ${reflectType(value)}`)
  if (schema.type === 'string') return complaint(`expected string, got &value.valueUnstructured{Value:${literal}}`)
  return complaint(`expected ${schema.type === 'boolean' ? 'boolean' : 'any scalar'}, got &{${text}}`)
}

interface GoForms {
  /** `%v` */
  readonly text: string
  /** `%#v` */
  readonly literal: string
}

/** Formats such a value as Go's fmt package does. */
function goForms(value: Value): GoForms {
  if (value === null) return { text: 'NULL_VALUE', literal: '0' }
  if (value instanceof CelUint) return { text: String(value.value), literal: `0x${value.value.toString(16)}` }
  if (value instanceof Uint8Array) {
    const hex = Array.from(value, byte => `0x${byte.toString(16)}`)
    return { text: `[${[...value].join(' ')}]`, literal: `[]uint8{${hex.join(', ')}}` }
  }
  const text = printValue(value)
  if (value instanceof CelTimestamp) return { text: text.replace(/^([^T]*)T(.*)Z$/, '$1 $2 +0000 UTC'), literal: text }
  if (value instanceof CelDuration) return { text, literal: String(value.nanos) }
  if (value instanceof CelList) {
    const items = Array.from({ length: value.size }, (_, i) => value.at(i))
    return { text: `[${items.map(printValue).join(' ')}]`, literal: `${reflectType(value)}{${items.map(literalOf).join(', ')}}` }
  }
  if (value instanceof CelMap) {
    const entries = Array.from(value.keys(), key => [key, value.find(key) ?? null] as const)
    const printed = entries.map(([key, member]) => `${printValue(key)}:${printValue(member)}`)
    const literals = entries.map(([key, member]) => `${literalOf(key)}:${literalOf(member)}`)
    return { text: `map[${printed.join(' ')}]`, literal: `${reflectType(value)}{${literals.join(', ')}}` }
  }
  return { text, literal: text }
}

const literalOf = (value: Value): string => (typeof value === 'string' ? JSON.stringify(value) : printValue(value))

/** Collects the paths of atomic values in a configuration. */
function* findAtomics(schema: Schema | undefined, value: Json, path: string, found: string[]): Steps<void> {
  if (typeof value !== 'object' || value === null) return
  if (isStepDone()) yield
  if (Array.isArray(value)) {
    if (!tracksElements(schema)) found.push(path)
    const items = schema?.type === 'list' ? schema.items : undefined
    if (items && !isScalar(items)) for (const [i, item] of value.entries()) yield* findAtomics(items, item, `${path}[${i}]`, found)
    return
  }
  if (shapeOf(schema) === 'leaf') found.push(path)
  if (schema?.type !== 'struct') return
  for (const name of Object.keys(value)) {
    const member = schema.fields.get(name)?.schema
    if (member) yield* findAtomics(member, value[name] ?? null, `${path}.${name}`, found)
  }
}
