import protobuf from 'protobufjs/minimal.js'
import type { JsonObject } from '../../src/api/meta/object.ts'
import { CBOR_TYPE, type Format, JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../../src/codec/accept-header.ts'
import { CborError, encodeCbor, parseCbor } from '../../src/codec/cbor.ts'
import { encodeProtobuf, unwrap } from '../../src/codec/protobuf.ts'
import { decodeMessage } from '../../src/codec/protobuf-decode.ts'
import { parseYaml, yamlBytes } from '../../src/codec/yaml.ts'
import { decode } from '../../src/schema/decode.ts'
import type { StructSchema } from '../../src/schema/schema.ts'
import { decodeProtobuf } from './at-once.ts'

export const FORMATS: readonly Format[] = ['json', 'yaml', 'protobuf', 'cbor']

export const mediaTypeOf: Readonly<Record<Format, string>> = { json: JSON_TYPE, yaml: YAML_TYPE, protobuf: PROTOBUF_TYPE, cbor: CBOR_TYPE }

/** Media types of watches. YAML has no frames. */
export const watchTypeOf: Readonly<Record<Exclude<Format, 'yaml'>, string>> = {
  json: JSON_TYPE,
  protobuf: `${PROTOBUF_TYPE};stream=watch`,
  cbor: CBOR_TYPE,
}

/** An object with its kind and apiVersion as a request's body. */
export function bodyIn(format: Format, schema: StructSchema, object: JsonObject): Buffer {
  const { kind, apiVersion } = object as { kind: string; apiVersion: string }
  switch (format) {
    case 'json':
      return Buffer.from(JSON.stringify(object))
    case 'yaml':
      return yamlBytes(object)
    case 'protobuf':
      return encodeProtobuf(schema, { kind, apiVersion }, decode(schema, object))
    case 'cbor':
      return encodeCbor(schema, { kind, apiVersion, ...decode(schema, object) })
  }
}

const valueIn = (format: 'json' | 'yaml' | 'cbor', body: Buffer): JsonObject => {
  switch (format) {
    case 'json':
      return JSON.parse(body.toString()) as JsonObject
    case 'yaml':
      return parseYaml(body).value as JsonObject
    case 'cbor':
      return parseCbor(body).value as JsonObject
  }
}

/** Decodes an object, normalized so that equal objects are deeply equal in every media type. */
export function objectFrom(format: Format, schema: StructSchema, body: Buffer): JsonObject {
  const value = format === 'protobuf' ? decodeProtobuf(schema, body) : valueIn(format, body)
  return { kind: value.kind, apiVersion: value.apiVersion, ...decode(schema, value) } as JsonObject
}

/** Decodes the items of a list. Their kind is omitted, as items of a built-in list have none in JSON and protobuf. */
export function itemsFrom(format: Format, schema: StructSchema, body: Buffer): JsonObject[] {
  if (format !== 'protobuf') return (valueIn(format, body).items as JsonObject[]).map(item => decode(schema, item))
  return fieldsOf(unwrap(body).message, 2).map(item => decode(schema, decodeMessage(schema, item)))
}

/** The rows' cells, but for ages, and the columns' names of a Table, which is in JSON or YAML alone. */
export function tableFrom(format: 'json' | 'yaml', body: Buffer): { columns: string[]; rows: unknown[] } {
  const table = valueIn(format, body) as unknown as { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] }
  return {
    columns: table.columnDefinitions.map(({ name }) => name),
    rows: table.rows.map(({ cells }) => cells.map(cell => (/^\d+s$/.test(String(cell)) ? 'AGE' : cell))),
  }
}

/** The object of the first frame of a watch, which is all of `bytes`; nothing while it is not whole. */
export function frameFrom(format: Exclude<Format, 'yaml'>, schema: StructSchema, bytes: Buffer): JsonObject | undefined {
  if (format === 'protobuf') {
    if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE()) return undefined
    const raw = fieldsOf(bytes.subarray(4, 4 + bytes.readUInt32BE()), 2)[0] as Buffer
    return objectFrom('protobuf', schema, fieldsOf(raw, 1)[0] as Buffer)
  }
  const { object } = wholeFrame(format, bytes) ?? {}
  if (object === undefined) return undefined
  return { kind: object.kind, apiVersion: object.apiVersion, ...decode(schema, object) } as JsonObject
}

function wholeFrame(format: 'json' | 'cbor', bytes: Buffer): { object: JsonObject } | undefined {
  if (format === 'json') return bytes.includes('\n') ? (valueIn('json', bytes) as { object: JsonObject }) : undefined
  try {
    return valueIn('cbor', bytes) as { object: JsonObject }
  } catch (error) {
    if (error instanceof CborError) return undefined
    throw error
  }
}

/** The bytes of each occurrence of a field of a message. */
function fieldsOf(message: Uint8Array, number: number): Buffer[] {
  const found: Buffer[] = []
  for (const reader = protobuf.Reader.create(message); reader.pos < reader.len; ) {
    const tag = reader.uint32()
    if (tag === (number << 3) + 2) found.push(Buffer.from(reader.bytes()))
    else reader.skipType(tag & 7)
  }
  return found
}
