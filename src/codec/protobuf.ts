import protobuf from 'protobufjs/minimal.js'
import type { JsonObject } from '../api/meta/object.ts'
import { ProtobufError } from '../lib/protobuf-error.ts'
import { nextField, readBytes, WIRE_BYTES, type WireMessage } from '../lib/protobuf-wire.ts'
import type { StructSchema } from '../schema/schema.ts'
import { encodeMessage } from './protobuf-encode.ts'
import { decodeUtf8 } from './utf8.ts'

export { ProtobufError } from '../lib/protobuf-error.ts'

/** `k8s` and a zero byte, with which every body of this media type begins. */
export const MAGIC = Buffer.from('k8s\0')

/** Type of an enveloped object. Its message does not repeat it. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

const TAIL = Buffer.from([0x1a, 0x00, 0x22, 0x00]) // contentEncoding and contentType, empty

/** Wraps a message in an envelope (runtime.Unknown). */
export const wrap = (type: TypeMeta, message: Uint8Array): Buffer => Buffer.concat([envelopeHead(type, message.length), message, TAIL])

/** Returns the bytes before and after a message of this length, for a message that is sent in pieces. */
export const envelopeAround = (type: TypeMeta, length: number): { readonly head: Buffer; readonly tail: Buffer } => ({
  head: envelopeHead(type, length),
  tail: TAIL,
})

/** Wraps a long message in segments, without joining them. */
export function wrapSegments(type: TypeMeta, segments: readonly Buffer[]): Buffer[] {
  let length = 0
  for (const segment of segments) length += segment.length
  return [envelopeHead(type, length), ...segments, TAIL]
}

/**
 * Encodes the magic number, the type as field 1, and the tag and length of the message as field 2, in the field order
 * of gogo.
 */
function envelopeHead({ apiVersion, kind }: TypeMeta, length: number): Buffer {
  const writer = protobuf.Writer.create()
  writer.uint32(0x0a).fork().uint32(0x0a).string(apiVersion).uint32(0x12).string(kind).ldelim()
  writer.uint32(0x12).uint32(length)
  return Buffer.concat([MAGIC, writer.finish()])
}

/** A decoded runtime.Unknown. */
export interface Envelope extends TypeMeta {
  readonly message: Uint8Array
}

/** Fields of runtime.Unknown, and of its TypeMeta. */
const ENVELOPE: WireMessage = {
  name: 'Unknown',
  fields: [
    ['TypeMeta', WIRE_BYTES],
    ['Raw', WIRE_BYTES],
    ['ContentEncoding', WIRE_BYTES],
    ['ContentType', WIRE_BYTES],
  ],
}
const TYPE_META: WireMessage = {
  name: 'TypeMeta',
  fields: [
    ['APIVersion', WIRE_BYTES],
    ['Kind', WIRE_BYTES],
  ],
}

/**
 * Decodes an envelope. The message is a view of the bytes and is not decoded. Throws ProtobufError with upstream's
 * text.
 */
export function unwrap(bytes: Buffer): Envelope {
  if (bytes.length === 0) throw new ProtobufError('empty data')
  if (bytes.length < MAGIC.length || MAGIC.compare(bytes, 0, MAGIC.length) !== 0)
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  if (bytes.length === MAGIC.length) throw new ProtobufError('empty body')
  const reader = protobuf.Reader.create(bytes.subarray(MAGIC.length))
  let type: TypeMeta = { apiVersion: '', kind: '' }
  let message: Uint8Array = new Uint8Array(0)
  for (let number = nextField(reader, reader.len, ENVELOPE); number > 0; number = nextField(reader, reader.len, ENVELOPE)) {
    const content = readBytes(reader)
    if (number === 1) type = readType(content, type)
    else if (number === 2) message = content
  }
  return { ...type, message }
}

/** Reads a TypeMeta. `before`: earlier occurrence, whose members are kept if this one omits them. */
function readType(bytes: Uint8Array, before: TypeMeta): TypeMeta {
  const reader = protobuf.Reader.create(bytes)
  let { apiVersion, kind } = before
  for (let number = nextField(reader, reader.len, TYPE_META); number > 0; number = nextField(reader, reader.len, TYPE_META)) {
    const text = decodeUtf8(readBytes(reader))
    if (number === 1) apiVersion = text
    else kind = text
  }
  return { apiVersion, kind }
}

/** Encodes a normalised object, with its kind and apiVersion, as a body. */
export const encodeProtobuf = (schema: StructSchema, type: TypeMeta, object: JsonObject): Buffer =>
  wrap(type, encodeMessage(schema, object))

/** Encodes the metadata of a list message, which precedes its items. */
export const listHead = (listMeta: Uint8Array): Buffer => Buffer.concat([head(META_TAG, listMeta.length), listMeta])

/** Encodes one item of a list message. */
export const listItem = (item: Uint8Array): Buffer => Buffer.concat([head(ITEM_TAG, item.length), item])

/** Number of bytes that `listItem` adds before an item of this length. */
export const listItemHead = (length: number): number => {
  let bytes = 2
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) bytes++
  return bytes
}

/**
 * Writes the tag and length of an item so that they end at offset `item`. Returns the offset of the tag. Saves a copy
 * of the item if space was reserved before it.
 */
export const writeItemHead = (target: Buffer, item: number, length: number): number => writeHead(ITEM_TAG, target, item, length)

/** Like `writeItemHead`, for the metadata of an object. */
export const writeMetaHead = (target: Buffer, meta: number, length: number): number => writeHead(META_TAG, target, meta, length)

/**
 * `content`: offset at which the content begins. Returns the offset of the tag. MOST_ITEM_HEAD bytes must be free
 * before the content.
 */
function writeHead(tag: number, target: Buffer, content: number, length: number): number {
  const from = content - listItemHead(length)
  let at = from
  target[at++] = tag
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 0x80) {
      target[at] = rest
      return from
    }
    target[at++] = (rest & 0x7f) | 0x80
  }
}

/** Maximum size of a tag and a 32-bit length, in bytes. */
export const MOST_ITEM_HEAD = 6

/** Tag of field 1 of a list and of PartialObjectMetadata: the metadata. */
const META_TAG = 0x0a
/** Tag of field 2 of a list: an item. */
const ITEM_TAG = 0x12

/** Encodes a tag and a length. */
function head(tag: number, length: number): Buffer {
  const bytes = [tag]
  for (let rest = length; ; rest >>>= 7) {
    if (rest < 0x80) {
      bytes.push(rest)
      return Buffer.from(bytes)
    }
    bytes.push((rest & 0x7f) | 0x80)
  }
}

/**
 * Encodes a watch event as one frame: its length in four bytes, then a bare WatchEvent, without an envelope. `object`
 * is an enveloped object.
 */
export function watchFrame(type: string, object: Buffer): Buffer {
  const writer = protobuf.Writer.create()
  writer.uint32(0x0a).string(type)
  writer.uint32(0x12).fork().uint32(0x0a).bytes(object).ldelim()
  const body = writer.finish()
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
