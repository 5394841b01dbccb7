import type { Json, JsonObject } from '../api/meta/object.ts'
import { isLongText, textChunks } from '../lib/text-chunks.ts'
import { goJson, writeScalar, writeString, writeValue } from '../schema/json-text.ts'
import { orderedFields, sortedKeys } from '../schema/members.ts'
import type { Schema, StructSchema } from '../schema/schema.ts'

/**
 * Writes a struct in declared order, whatever the order of the object's own members. Unknown members are omitted unless
 * the struct preserves them.
 */
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

/** A value that does not match its type is written as it is, members in their own order. */
function writeBy(schema: Schema, value: Json | undefined): string {
  if (typeof value !== 'object' || value === null) return writeScalar(value)
  switch (schema.type) {
    case 'struct':
      return Array.isArray(value) ? writeValue(value, Object.keys) : writeStruct(schema, value)
    case 'list':
      return Array.isArray(value) ? `[${value.map(item => writeBy(schema.items, item)).join(',')}]` : writeValue(value, Object.keys)
    case 'map': {
      if (Array.isArray(value)) return writeValue(value, Object.keys)
      return `{${sortedKeys(value)
        .map(key => `${writeString(key)}:${writeBy(schema.values, value[key])}`)
        .join(',')}}`
    }
    case 'union':
      if (Array.isArray(value))
        return `[${value.map(item => (schema.form === 'list' ? writeBy(schema.struct, item) : writeScalar(item))).join(',')}]`
      return writeStruct(schema.struct, value)
    case 'json':
      return goJson(value)
    default:
      return writeValue(value, Object.keys)
  }
}

/**
 * Writes the same as `writeStruct`, in pieces that each take little time, for responses that may quote a whole body.
 */
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

/** Only long strings, structs and lists are divided. Maps and unions are written in one piece. */
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
