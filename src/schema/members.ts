import { compareText } from '../lib/compare-text.ts'
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from '../lib/integer.ts'
import { sortFew } from '../lib/sort-few.ts'
import { isStepDone, type Steps, sorted } from '../lib/steps.ts'
import { setMember } from '../meta/equal.ts'
import type { Json, JsonObject } from '../meta/object.ts'
import type { Field, StructSchema } from './schema.ts'

const typeMetaFields: readonly Field[] = ['kind', 'apiVersion'].map(name => ({
  name,
  number: 0,
  schema: { type: 'string', goType: 'string' },
  required: false,
  omitEmpty: true,
  pointer: false,
}))

/** Every member in the order in which it is written, kind and apiVersion included. */
export const membersOf = (schema: StructSchema): readonly Field[] =>
  schema.typeMeta ? [...typeMetaFields.filter(f => !schema.fields.has(f.name)), ...schema.fields.values()] : [...schema.fields.values()]

/** Members by each of their spellings. */
export function bySpelling<T extends { readonly name: string; readonly alias?: string | undefined }>(members: readonly T[]): ReadonlyMap<string, T> {
  const map = new Map(members.map(member => [member.name, member]))
  for (const member of members) if (member.alias !== undefined) map.set(member.alias, member)
  return map
}

/** Of Go's integer types; those that are not here have the range of a double. */
const bounds: Readonly<Record<string, readonly [number | bigint, number | bigint]>> = {
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
  int64: [MIN_INT64, MAX_INT64],
  uint64: [0, MAX_UINT64],
}

/** Whether a number is an integer that fits Go's type of that name. */
export function fitsInteger(value: number | bigint, goType: string): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false
  const range = bounds[goType]
  return range === undefined || (value >= range[0] && value <= range[1])
}

const high = /[\ud800-\udfff]/
/** Whether UTF-16 order may differ from byte order. */
export const isHigh = (key: string): boolean => high.test(key)

/** A copy of a value, with the members of its objects sorted at every depth. JavaScript puts integer-like keys first, all the same. */
export function sortedJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortedJson)
  const out: JsonObject = {}
  for (const key of sortedKeys(value)) {
    const member = value[key]
    if (member !== undefined) setMember(out, key, sortedJson(member))
  }
  return out
}

/** The same in steps, for values that may be large. */
export function* sortedJsonInSteps(value: Json): Steps<Json> {
  if (typeof value !== 'object' || value === null) return value
  if (isStepDone()) yield
  if (Array.isArray(value)) {
    const out: Json[] = []
    for (const item of value) {
      if (isStepDone()) yield
      out.push(typeof item === 'object' ? yield* sortedJsonInSteps(item) : item)
    }
    return out
  }
  const out: JsonObject = {}
  for (const key of yield* sortedKeysInSteps(value)) {
    if (isStepDone()) yield
    const member = value[key]
    if (member !== undefined) setMember(out, key, typeof member === 'object' ? yield* sortedJsonInSteps(member) : member)
  }
  return out
}

/** More keys are sorted in steps. */
const FEW_KEYS = 1024

function* sortedKeysInSteps(value: JsonObject): Steps<string[]> {
  const keys = Object.keys(value)
  return keys.length <= FEW_KEYS ? sortedKeys(value) : yield* sorted(keys, compareText)
}

/** Whether the members of all objects of a value stand in the order of their keys' bytes. False as well once `left` elements have been looked at. */
export function isSortedJson(value: Json, walk: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(item => --walk.left >= 0 && isSortedJson(item, walk))
  let before = ''
  for (const key in value) {
    if (--walk.left < 0 || key < before || isHigh(key) || !isSortedJson(value[key] ?? null, walk)) return false
    before = key
  }
  return true
}

/** Keys in the order of their UTF-8 bytes. */
export function sortedKeys(value: JsonObject): string[] {
  const keys = sortFew(Object.keys(value), (a, b) => (a < b ? -1 : 1))
  return keys.some(isHigh) ? keys.sort(compareText) : keys
}
