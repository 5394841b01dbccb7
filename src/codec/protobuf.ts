import protobuf from 'protobufjs/minimal.js'
import type { JsonObject } from '../meta/object.ts'
import type { StructSchema } from '../schema/schema.ts'
import { encodeMessage } from './protobuf-encode.ts'
import { ProtobufError } from './protobuf-error.ts'
import { WIRE_BYTES } from './protobuf-plan.ts'
import { nextField, readBytes, type WireMessage } from './protobuf-wire.ts'
import { decodeUtf8 } from './utf8.ts'

export { ProtobufError } from './protobuf-error.ts'

/** `k8s` and a zero byte: what every body of this media type begins with. */
export const MAGIC = Buffer.from('k8s\0')

/** The type of an enveloped object, which its message does not repeat. */
export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

const TAIL = Buffer.from([0x1a, 0x00, 0x22, 0x00]) // contentEncoding and contentType, empty

/** The envelope (runtime.Unknown) around a message. */
export const wrap = (type: TypeMeta, message: Uint8Array): Buffer => Buffer.concat([envelopeHead(type, message.length), message, TAIL])

/** What comes before and after a message of that many bytes, for one that is sent in pieces. */
export const envelopeAround = (type: TypeMeta, length: number): { readonly head: Buffer; readonly tail: Buffer } => ({
  head: envelopeHead(type, length),
  tail: TAIL,
})

/** The same around a long message in segments, which are not joined. */
export function wrapSegments(type: TypeMeta, segments: readonly Buffer[]): Buffer[] {
  let length = 0
  for (const segment of segments) length += segment.length
  return [envelopeHead(type, length), ...segments, TAIL]
}

/** Magic, the type as field 1, and the tag and length of the message as field 2: gogo's order of fields. */
function envelopeHead({ apiVersion, kind }: TypeMeta, length: number): Buffer {
  const writer = protobuf.Writer.create()
  writer.uint32(0x0a).fork().uint32(0x0a).string(apiVersion).uint32(0x12).string(kind).ldelim()
  writer.uint32(0x12).uint32(length)
  return Buffer.concat([MAGIC, writer.finish()])
}

/** runtime.Unknown */
export interface Envelope extends TypeMeta {
  readonly message: Uint8Array
}

/** runtime.Unknown, and the TypeMeta in it. */
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

/** Opens an envelope; the message is a view of the bytes, and not decoded. Throws ProtobufError with upstream's texts. */
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

/** `before`: the type so far. Members that the message omits are kept from it. */
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

/** A normalised object with its kind and apiVersion as a body. */
export const encodeProtobuf = (schema: StructSchema, type: TypeMeta, object: JsonObject): Buffer => wrap(type, encodeMessage(schema, object))

/** Where a list message begins. */
export const listHead = (listMeta: Uint8Array): Buffer => Buffer.concat([head(META_TAG, listMeta.length), listMeta])

/** One of the items of a list message. */
export const listItem = (item: Uint8Array): Buffer => Buffer.concat([head(ITEM_TAG, item.length), item])

/** How many bytes `listItem` puts before an item of that many bytes. */
export const listItemHead = (length: number): number => {
  let bytes = 2
  for (let rest = length >>> 7; rest > 0; rest >>>= 7) bytes++
  return bytes
}

/** Writes what stands before an item of that many bytes, so that it ends where the item begins. Returns where it begins itself. Saves a copy of the item where room was left before it. */
export const writeItemHead = (target: Buffer, item: number, length: number): number => writeHead(ITEM_TAG, target, item, length)

/** The same before the metadata of an object. */
export const writeMetaHead = (target: Buffer, meta: number, length: number): number => writeHead(META_TAG, target, meta, length)

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

/** The most bytes that stand before an item: a tag, and a length of 32 bits. */
export const MOST_ITEM_HEAD = 6

/** Field 1 of a list and of PartialObjectMetadata: the metadata. */
const META_TAG = 0x0a
/** Field 2 of a list: an item. */
const ITEM_TAG = 0x12

/** A tag and a length. */
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

/** A watch event as one frame: its length in four bytes, then a bare WatchEvent, without an envelope. `object` is an enveloped object. */
export function watchFrame(type: string, object: Buffer): Buffer {
  const writer = protobuf.Writer.create()
  writer.uint32(0x0a).string(type)
  writer.uint32(0x12).fork().uint32(0x0a).bytes(object).ldelim()
  const body = writer.finish()
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}
