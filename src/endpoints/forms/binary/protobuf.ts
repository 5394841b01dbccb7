import type { KubeObject, ListMeta } from '../../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../../catalog/catalog.ts'
import type { Version } from '../../../catalog/definition.ts'
import {
  envelopeAround,
  listHead,
  listItem,
  listItemHead,
  MOST_ITEM_HEAD,
  type TypeMeta,
  watchFrame,
  wrap,
  wrapSegments,
  writeItemHead,
  writeMetaHead,
} from '../../../codec/protobuf.ts'
import { encodeMessage } from '../../../codec/protobuf-encode.ts'
import { encodeMessageInSteps } from '../../../codec/protobuf-encode-in-steps.ts'
import { Transcoder } from '../../../codec/protobuf-transcode.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import { eachInSlices, mapInSlices } from '../../../lib/slices.ts'
import { runInTurns, type Steps } from '../../../lib/steps.ts'
import { objectInTurns } from '../../../registry/ready-object.ts'
import { decode, decodeInSteps } from '../../../schema/decode.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import { DERIVED_BYTES } from '../../../storage/byte-budget.ts'
import { metadataOf } from '../../../storage/parse-own.ts'
import type { Encoder, StoredObject } from '../../../storage/storage.ts'
import { listPieces } from '../list-pieces.ts'
import { listTypeMetaOf, metadataType, metaType, typeMetaOf } from '../meta-v1.ts'
import type { Document } from '../response-form.ts'
import type { BinaryCodec } from './codec.ts'

/**
 * Maximum bytes of a list's encodings that are cached. The cache holds those of a few lists. Caching more would drop
 * them before they are reused.
 */
const MOST_KEPT = DERIVED_BYTES / 2

/** Shared by all encoders: each copies the result before the next one runs. */
const transcoder = new Transcoder()

const encoders = new WeakMap<StructSchema, Encoder>()

/**
 * Returns the encoder of stored objects as list items. Without the header of an item, the bytes are a message, which an
 * envelope is put around.
 */
export function protobufEncoder(version: Version): Encoder {
  let encoder = encoders.get(version.schema)
  if (!encoder) {
    const { schema } = version
    encoder = {
      id: `protobuf;${apiVersionOfVersion(version)}`,
      encode: object => {
        const message = encodeMessage(schema, object)
        return { bytes: listItem(message), header: listItemHead(message.length) }
      },
      transcode: json => {
        const bytes = transcoder.transcode(schema, json.bytes, json.header, MOST_ITEM_HEAD)
        if (bytes === undefined) return undefined
        const from = writeItemHead(bytes, MOST_ITEM_HEAD, bytes.length - MOST_ITEM_HEAD)
        return { bytes: bytes.subarray(from), header: MOST_ITEM_HEAD - from }
      },
    }
    encoders.set(version.schema, encoder)
  }
  return encoder
}

function storedBody(version: Version, stored: StoredObject): Buffer {
  const { bytes, header } = stored.encoded(protobufEncoder(version))
  return wrap(typeMetaOf(version), bytes.subarray(header))
}

/** Bytes from which on an object is parsed and encoded in turns: fewer are transcoded in some milliseconds. */
const LARGE_BYTES = 256 * 1024

function storedInTurns(version: Version, stored: StoredObject): Promise<Buffer> | undefined {
  const isSoon = stored.json().bytes.length < LARGE_BYTES || stored.kept(protobufEncoder(version).id) !== undefined
  return isSoon ? undefined : encodedInTurns(version, stored)
}

async function encodedInTurns(version: Version, stored: StoredObject): Promise<Buffer> {
  const encoder = protobufEncoder(version)
  const message = await runInTurns(encodeMessageInSteps(version.schema, await objectInTurns(stored)))
  const encoded = { bytes: listItem(message), header: listItemHead(message.length) }
  // The object keeps it.
  stored.encoded({ id: encoder.id, transcode: () => encoded, encode: () => encoded })
  return wrap(typeMetaOf(version), message)
}

/** Encodes an object that is not stored. */
function* objectBody(schema: StructSchema, object: KubeObject): Steps<Buffer> {
  const normal = yield* decodeInSteps(schema, object)
  yield
  return wrap({ apiVersion: object.apiVersion, kind: object.kind }, yield* encodeMessageInSteps(schema, normal))
}

function listBody(version: Version, meta: ListMeta, items: readonly StoredObject[]): Promise<FilledBody> {
  const encoder = protobufEncoder(version)
  return encodedList(listTypeMetaOf(version), meta, items, encoder, item => item.sizeOf(encoder))
}

/**
 * Returns a list whose items are encoded while they are sent, unless their encoding is cached. `sizeOf`: returns the
 * length of an item that is not cached.
 */
async function encodedList(
  type: TypeMeta,
  meta: ListMeta,
  items: readonly StoredObject[],
  encoder: Encoder,
  sizeOf: (item: StoredObject) => number,
): Promise<FilledBody> {
  const first = listHead(metaMessage(meta))
  let content = first.length
  const sizes = new Int32Array(items.length)
  let i = 0
  await eachInSlices(items, item => {
    const size = content < MOST_KEPT ? item.encoded(encoder).bytes.length : sizeOf(item)
    content += size
    sizes[i++] = size
  })
  const { head, tail: end } = envelopeAround(type, content)
  const start = Buffer.concat([head, first])
  const length = head.length + content + end.length
  // -1: the start comes next; items.length: the end comes next.
  let next = -1
  const write = (item: StoredObject, target: Buffer, at: number): number => {
    const { bytes } = item.passing(encoder)
    target.set(bytes, at)
    return at + bytes.length
  }
  const fill = (target: Buffer): Buffer => {
    if (next < 0) {
      next = 0
      return start
    }
    let at = 0
    for (; next < items.length; next++) {
      const item = items[next]
      if (item === undefined) break
      if (at + (sizes[next] ?? 0) > target.length) {
        if (at > 0) break
        next++
        return Buffer.from(item.passing(encoder).bytes)
      }
      at = write(item, target, at)
    }
    return at === 0 ? end : target.subarray(0, at)
  }
  return { length, fill, pieces: listPieces({ by: encoder, length, start, items, end, size: i => sizes[i] ?? 0, write }) }
}

/** Encodes a list whose items are not stored. */
const plainListBody = async (version: Version, objects: readonly KubeObject[]): Promise<Buffer[]> =>
  protobufListSegments(
    listTypeMetaOf(version),
    {},
    objects.map(object => listItem(encodeMessage(version.schema, decode(version.schema, object)))),
  )

/** Returns a list in segments of one item each, which are joined while they are sent. */
const protobufListSegments = (type: TypeMeta, meta: ListMeta, items: readonly Buffer[]): Buffer[] =>
  wrapSegments(type, [listHead(metaMessage(meta)), ...items])

const metaMessage = (meta: ListMeta): Uint8Array => encodeMessage(metaType('meta.ListMeta'), meta)

/** Returns the PartialObjectMetadata of an object in its envelope. */
const partialBody = (object: KubeObject, apiVersion: string): Buffer =>
  wrap({ apiVersion, kind: 'PartialObjectMetadata' }, partialMessage(object))

const partialMessage = (object: KubeObject): Uint8Array =>
  encodeMessage(metadataType('meta.PartialObjectMetadata'), { metadata: object.metadata })

/**
 * Encodes items of a metadata list. Transcodes the JSON of the metadata directly if its fields are in the order of the
 * message.
 */
const partialEncoder: Encoder = {
  id: 'protobuf;PartialObjectMetadata',
  encode: object => {
    const message = partialMessage(object)
    return { bytes: listItem(message), header: listItemHead(message.length) }
  },
  transcode: json => {
    if (json.header <= 1) return undefined
    const { from, to } = metadataOf(json)
    const bytes = transcoder.transcode(metadataType('meta.ObjectMeta'), json.bytes.subarray(from, to), 1, 2 * MOST_ITEM_HEAD)
    if (bytes === undefined) return undefined
    const message = writeMetaHead(bytes, 2 * MOST_ITEM_HEAD, bytes.length - 2 * MOST_ITEM_HEAD)
    const item = writeItemHead(bytes, message, bytes.length - message)
    return { bytes: bytes.subarray(item), header: message - item }
  },
}

async function partialListBody(meta: ListMeta, items: readonly StoredObject[], apiVersion: string): Promise<Buffer[] | FilledBody> {
  const type = { apiVersion, kind: 'PartialObjectMetadataList' }
  // v1beta1 swaps the numbers of the two fields: items have the number of v1's list metadata.
  if (apiVersion.endsWith('/v1beta1'))
    return wrapSegments(type, [...(await mapInSlices(items, item => listHead(partialMessage(item.object())))), listItem(metaMessage(meta))])
  // An object caches the size of one encoding only, that of the whole object.
  return encodedList(type, meta, items, partialEncoder, item => item.passing(partialEncoder).bytes.length)
}

const documentBody = (schema: StructSchema, document: Document): Buffer =>
  wrap({ apiVersion: document.apiVersion ?? '', kind: document.kind }, encodeMessage(schema, decode(schema, document)))

/** application/vnd.kubernetes.protobuf: `k8s\0`, and the message in a runtime.Unknown. */
export const protobufCodec: BinaryCodec = {
  storedBody,
  storedInTurns,
  objectBody,
  listBody,
  plainListBody,
  partialBody,
  partialListBody,
  documentBody,
  blueprint: type => wrap(type, listHead(metaMessage({}))),
  frame: watchFrame,
  leadBytes: 4,
  streamType: mediaType => `${mediaType};stream=watch`,
}
