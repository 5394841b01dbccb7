import type { Json, JsonObject } from '../api/meta/object.ts'
import { compareText } from '../lib/compare-text.ts'
import { MAX_INT64, MAX_UINT64, MIN_INT64 } from '../lib/integer.ts'
import { sortFew } from '../lib/sort-few.ts'
import { isStepDone, type Steps, sortInSteps } from '../lib/steps.ts'
import { isWide, MANY_MEMBERS, memberNames, noteMembers } from '../lib/wide-objects.ts'
import { setMember } from '../meta/equal.ts'
import type { Field, StructSchema } from './schema.ts'

const typeMetaFields: readonly Field[] = ['kind', 'apiVersion'].map(name => ({
  name,
  number: 0,
  schema: { type: 'string', goType: 'string' },
  required: false,
  omitEmpty: true,
  pointer: false,
}))

/** Returns every member in output order, including kind and apiVersion. */
export const orderedFields = (schema: StructSchema): readonly Field[] =>
  schema.typeMeta ? [...typeMetaFields.filter(f => !schema.fields.has(f.name)), ...schema.fields.values()] : [...schema.fields.values()]

/** Indexes members by name and alias. */
export function bySpelling<T extends { readonly name: string; readonly alias?: string | undefined }>(
  members: readonly T[],
): ReadonlyMap<string, T> {
  const map = new Map(members.map(member => [member.name, member]))
  for (const member of members) if (member.alias !== undefined) map.set(member.alias, member)
  return map
}

/** Ranges of Go's integer types. Types that are not listed have the range of a double. */
const bounds: Readonly<Record<string, readonly [number | bigint, number | bigint]>> = {
  int32: [-2147483648, 2147483647],
  uint32: [0, 4294967295],
  int64: [MIN_INT64, MAX_INT64],
  uint64: [0, MAX_UINT64],
}

/** Whether a number is an integer within the range of a Go type. */
export function fitsInteger(value: number | bigint, goType: string): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false
  const range = bounds[goType]
  return range === undefined || (value >= range[0] && value <= range[1])
}

const HIGH_SURROGATE = /[\ud800-\udfff]/
/** Whether UTF-16 order may differ from byte order. */
export const isHigh = (key: string): boolean => HIGH_SURROGATE.test(key)

/**
 * Copies a value with the members of its objects sorted at every depth. JavaScript still puts integer-like keys first.
 */
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

/** Like `sortedJson`, in steps, for values that may be large. */
export function* sortedJsonInSteps(value: Json): Steps<Json> {
  return typeof value === 'object' && value !== null ? yield* fillSorted(value, Array.isArray(value) ? [] : {}) : value
}

/**
 * Copies the sorted members of a value to an empty list or object. Uses an explicit stack, because a generator for each
 * small object would cost more than its copy.
 */
export function* fillSorted<T extends Json[] | JsonObject>(value: T, out: T): Steps<T> {
  const originals: (Json[] | JsonObject)[] = [value]
  const copies: (Json[] | JsonObject)[] = [out]
  const copyOf = (member: Json): Json => {
    if (typeof member !== 'object' || member === null) return member
    const inner = Array.isArray(member) ? [] : {}
    originals.push(member)
    copies.push(inner)
    return inner
  }
  for (let from = originals.pop(), to = copies.pop(); from !== undefined && to !== undefined; from = originals.pop(), to = copies.pop()) {
    if (Array.isArray(from) && Array.isArray(to)) {
      for (const item of from) {
        if (isStepDone()) yield
        to.push(copyOf(item))
      }
    } else if (!Array.isArray(from) && !Array.isArray(to)) {
      const keys = yield* memberNames(from)
      noteMembers(to, keys.length)
      for (const key of keys.length <= FEW_KEYS ? sortKeys(keys) : yield* sortInSteps(keys, compareText)) {
        if (isStepDone()) yield
        const member = from[key]
        if (member !== undefined) setMember(to, key, copyOf(member))
      }
    }
  }
  return out
}

/** Number of keys above which they are sorted in steps. */
const FEW_KEYS = 1024

/**
 * Whether the members of all objects of a value are sorted by the bytes of their keys. Also returns false once `left`
 * elements have been visited.
 */
export function isSortedJson(value: Json, walk: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(item => --walk.left >= 0 && isSortedJson(item, walk))
  if (isWide(value) && walk.left < MANY_MEMBERS) return false
  let before = ''
  for (const key in value) {
    if (--walk.left < 0 || key < before || isHigh(key) || !isSortedJson(value[key] ?? null, walk)) return false
    before = key
  }
  return true
}

/** Returns the keys of an object sorted by their UTF-8 bytes. */
export const sortedKeys = (value: JsonObject): string[] => sortKeys(Object.keys(value))

/** Sorts keys in place by their UTF-8 bytes. */
function sortKeys(keys: string[]): string[] {
  sortFew(keys, (a, b) => (a < b ? -1 : 1))
  return keys.some(isHigh) ? keys.sort(compareText) : keys
}
