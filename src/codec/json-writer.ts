import type { Json, JsonObject } from '../api/meta/object.ts'
import { escapeAsGo } from '../lib/go-json-text.ts'
import { isLongText, textChunks } from '../lib/text-chunks.ts'
import { wholeFloatAt } from '../meta/whole-floats.ts'
import type { Repeated } from '../schema/diagnose.ts'
import { orderedFields, sortedKeys } from '../schema/members.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'

const SPECIAL = /[<>&\u2028\u2029\ud800-\udfff]/

/** Writes a string like Go's encoding/json: `<`, `>`, `&`, U+2028 and U+2029 are escaped, and lone surrogates become U+FFFD. */
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
  return write(value, sortedKeys)
}

/** Writes a value that Go has decoded in part: objects in `decoded` have sorted members, others and whole floats are written unchanged. An object in `repeated` that is not decoded is written with the members listed there. */
export function partlySortedJson(value: Json, decoded: WeakSet<object>, repeated?: Repeated): string {
  const entriesOf = repeated && ((object: JsonObject) => (decoded.has(object) ? undefined : repeated.get(object)))
  return write(value, object => (decoded.has(object) ? sortedKeys(object) : Object.keys(object)), wholeFloatAt, entriesOf)
}

/** Writes a value unchanged: members in their order, and only the escapes that JSON requires. */
export function rawJson(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    return write(value, Object.keys) // a bigint
  }
}

type LiteralAt = (container: object, key: string | number) => string | undefined

/** Returns the members of an object that has repeated ones. */
type EntriesOf = (object: JsonObject) => readonly (readonly [string, Json])[] | undefined

function write(value: Json | undefined, keysOf: (object: JsonObject) => string[], literalAt?: LiteralAt, entriesOf?: EntriesOf): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value)
  let out = ''
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) out += (out === '' ? '' : ',') + (literalAt?.(value, i) ?? write(item, keysOf, literalAt, entriesOf))
    return `[${out}]`
  }
  const entries = entriesOf?.(value)
  if (entries !== undefined) return `{${entries.map(([key, member]) => `${writeString(key)}:${write(member, keysOf, literalAt, entriesOf)}`).join(',')}}`
  for (const key of keysOf(value)) {
    const member = value[key]
    if (member !== undefined) out += `${out === '' ? '' : ','}${writeString(key)}:${literalAt?.(value, key) ?? write(member, keysOf, literalAt, entriesOf)}`
  }
  return `{${out}}`
}

/** Writes a struct in declared order, whatever the order of the object's own members. Unknown members are omitted unless the struct preserves them. */
export function writeStruct(schema: StructSchema, object: JsonObject): string {
  let out = ''
  const put = (name: string, text: string): void => {
    out += `${out === '' ? '' : ','}${writeString(name)}:${text}`
  }
  if (schema.preserveUnknown) {
    for (const key of sortedKeys(object)) {
      const field = schema.fields.get(key)
      const value = object[key]
      if (value !== undefined) put(key, field ? writeBy(field.schema, value) : goJson(value))
    }
    return `{${out}}`
  }
  for (const field of orderedFields(schema)) {
    const value = object[field.name]
    if (value !== undefined) put(field.name, writeBy(field.schema, value))
  }
  return `{${out}}`
}

function writeBy(schema: Schema, value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value)
  switch (schema.type) {
    case 'struct':
      return Array.isArray(value) ? write(value, Object.keys) : writeStruct(schema, value)
    case 'list':
      return Array.isArray(value) ? `[${value.map(item => writeBy(schema.items, item)).join(',')}]` : write(value, Object.keys)
    case 'map': {
      if (Array.isArray(value)) return write(value, Object.keys)
      return `{${sortedKeys(value)
        .map(key => `${writeString(key)}:${writeBy(schema.values, value[key])}`)
        .join(',')}}`
    }
    case 'union':
      if (Array.isArray(value)) return `[${value.map(item => (schema.form === 'list' ? writeBy(schema.struct, item) : writeScalar(item))).join(',')}]`
      return writeStruct(schema.struct, value)
    case 'json':
      return goJson(value)
    default:
      return write(value, Object.keys)
  }
}

/** Writes the same as `writeStruct`, in pieces that each take little time, for responses that may quote a whole body. */
export function* structPieces(schema: StructSchema, object: JsonObject): Generator<string> {
  let before = '{'
  for (const field of orderedFields(schema)) {
    const value = object[field.name]
    if (value === undefined) continue
    yield `${before}${writeString(field.name)}:`
    yield* piecesBy(field.schema, value)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

function* piecesBy(schema: Schema, value: Json): Generator<string> {
  if (typeof value === 'string' && isLongText(value)) {
    yield '"'
    for (const chunk of textChunks(value)) yield writeString(chunk).slice(1, -1)
    yield '"'
  } else if (schema.type === 'struct' && !schema.preserveUnknown && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    yield* structPieces(schema, value)
  } else if (schema.type === 'list' && Array.isArray(value)) {
    yield '['
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ','
      yield* piecesBy(schema.items, item)
    }
    yield ']'
  } else yield writeBy(schema, value)
}
