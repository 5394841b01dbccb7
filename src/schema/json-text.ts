import type { Json, JsonObject } from '../api/meta/object.ts'
import { escapeAsGo } from '../lib/go-json-text.ts'
import { wholeFloatAt } from '../meta/whole-floats.ts'
import type { Repeated } from './diagnose.ts'
import { sortedKeys } from './members.ts'

const SPECIAL = /[<>&\u2028\u2029\ud800-\udfff]/

/**
 * Writes a string like Go's encoding/json: `<`, `>`, `&`, U+2028 and U+2029 are escaped, and lone surrogates become
 * U+FFFD.
 */
export function writeString(text: string): string {
  if (!SPECIAL.test(text)) return JSON.stringify(text)
  return escapeAsGo(JSON.stringify(text.toWellFormed()))
}

/** Writes a scalar. A bigint is exact; what JSON cannot represent becomes null. */
export function writeScalar(value: Json | undefined): string {
  if (typeof value === 'string') return writeString(value)
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? String(value) : 'null'
  return value === undefined ? 'null' : String(value)
}

/** Writes any value as Go's encoder writes a map: members sorted by the bytes of their keys, at every depth. */
export function goJson(value: Json): string {
  return writeValue(value, sortedKeys)
}

/**
 * Writes a value that Go has decoded in part: objects in `decoded` have sorted members, others and whole floats are
 * written unchanged. An object in `repeated` that is not decoded is written with the members listed there.
 */
export function partlySortedJson(value: Json, decoded: WeakSet<object>, repeated?: Repeated): string {
  const entriesOf = repeated && ((object: JsonObject) => (decoded.has(object) ? undefined : repeated.get(object)))
  return writeValue(value, object => (decoded.has(object) ? sortedKeys(object) : Object.keys(object)), wholeFloatAt, entriesOf)
}

/** Writes a value unchanged: members in their order, and only the escapes that JSON requires. */
export function rawJson(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    return writeValue(value, Object.keys) // a bigint
  }
}

type LiteralAt = (container: object, key: string | number) => string | undefined

/** Returns the members of an object that has repeated ones. */
type EntriesOf = (object: JsonObject) => readonly (readonly [string, Json])[] | undefined

/**
 * Writes a value with the members of each object that `keysOf` returns. `literalAt`: the text of a value that is not
 * written by its type.
 */
export function writeValue(
  value: Json | undefined,
  keysOf: (object: JsonObject) => string[],
  literalAt?: LiteralAt,
  entriesOf?: EntriesOf,
): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value)
  let out = ''
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      out += (out === '' ? '' : ',') + (literalAt?.(value, i) ?? writeValue(item, keysOf, literalAt, entriesOf))
    return `[${out}]`
  }
  const entries = entriesOf?.(value)
  if (entries !== undefined)
    return `{${entries.map(([key, member]) => `${writeString(key)}:${writeValue(member, keysOf, literalAt, entriesOf)}`).join(',')}}`
  for (const key of keysOf(value)) {
    const member = value[key]
    if (member !== undefined)
      out += `${out === '' ? '' : ','}${writeString(key)}:${literalAt?.(value, key) ?? writeValue(member, keysOf, literalAt, entriesOf)}`
  }
  return `{${out}}`
}
