import type { Version } from '../catalog/definition.ts'
import { listHead, listItems, type TypeMeta, watchFrame, wrap, wrapSegments } from '../codec/protobuf.ts'
import { encodeMessage } from '../codec/protobuf-encode.ts'
import { mapInSlices } from '../lib/slices.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import type { JsonObject, KubeObject, ListMeta } from '../meta/object.ts'
import { decode } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { Encoder, StoredObject } from '../storage/storage.ts'
import type { BinaryForm } from './binary-form.ts'
import { metaType } from './meta-type.ts'

const ITEMS_AT_ONCE = 64

const encoders = new WeakMap<StructSchema, Encoder>()

/** Encodes stored objects as messages without their envelope: an envelope, a list or a watch event is put around them. */
export function protobufEncoder(version: Version): Encoder {
  let encoder = encoders.get(version.schema)
  if (!encoder) {
    const { schema } = version
    encoder = {
      id: `protobuf;${apiVersionOf({ group: version.group, version: version.name })}`,
      encode: object => ({ bytes: Buffer.from(encodeMessage(schema, object as unknown as JsonObject)), header: 0 }),
    }
    encoders.set(version.schema, encoder)
  }
  return encoder
}

export const typeMetaOf = (version: Version, suffix = ''): TypeMeta => ({
  apiVersion: apiVersionOf({ group: version.group, version: version.name }),
  kind: version.kind + suffix,
})

const storedBody = (version: Version, stored: StoredObject): Buffer => wrap(typeMetaOf(version), stored.encoded(protobufEncoder(version)).bytes)

/** An object that is not stored. */
const objectBody = (schema: StructSchema, object: KubeObject): Buffer =>
  wrap({ apiVersion: object.apiVersion, kind: object.kind }, encodeMessage(schema, decode(schema, object as unknown as JsonObject)))

async function listBody(version: Version, meta: ListMeta, items: readonly StoredObject[]): Promise<Buffer[]> {
  const encoder = protobufEncoder(version)
  const messages = await mapInSlices(items, item => item.encoded(encoder).bytes)
  return listOf(typeMetaOf(version, 'List'), meta, messages)
}

/** A list whose items are not stored. */
const plainListBody = (version: Version, objects: readonly KubeObject[]): Promise<Buffer[]> =>
  listOf(
    typeMetaOf(version, 'List'),
    {},
    objects.map(object => encodeMessage(version.schema, decode(version.schema, object as unknown as JsonObject))),
  )

/** A list in segments of a few items each: a long one is joined neither in one go nor at all. */
async function listOf(type: TypeMeta, meta: ListMeta, messages: readonly Uint8Array[]): Promise<Buffer[]> {
  const groups: (readonly Uint8Array[])[] = []
  for (let i = 0; i < messages.length; i += ITEMS_AT_ONCE) groups.push(messages.slice(i, i + ITEMS_AT_ONCE))
  return wrapSegments(type, [listHead(metaMessage(meta)), ...(await mapInSlices(groups, listItems, 1))])
}

const metaMessage = (meta: ListMeta): Uint8Array => encodeMessage(metaType('meta.ListMeta'), meta as JsonObject)

/** PartialObjectMetadata of an object, enveloped. */
const partialBody = (object: KubeObject, apiVersion: string): Buffer => wrap({ apiVersion, kind: 'PartialObjectMetadata' }, partialMessage(object))

const partialMessage = (object: KubeObject): Uint8Array =>
  encodeMessage(metaType('meta.PartialObjectMetadata'), { metadata: object.metadata as unknown as JsonObject })

async function partialListBody(meta: ListMeta, items: readonly StoredObject[], apiVersion: string): Promise<Buffer[]> {
  const messages = await mapInSlices(items, item => partialMessage(item.object()))
  return listOf({ apiVersion, kind: 'PartialObjectMetadataList' }, meta, messages)
}

/** A Status, as the answer or as the object of an ERROR event. */
const statusBody = (status: object): Buffer =>
  wrap({ apiVersion: 'v1', kind: 'Status' }, encodeMessage(metaType('meta.Status'), decode(metaType('meta.Status'), status as JsonObject)))

export const protobufForm: BinaryForm = {
  storedBody,
  objectBody,
  listBody,
  plainListBody,
  partialBody,
  partialListBody,
  statusBody,
  blueprint: type => wrap(type, listHead(metaMessage({}))),
  frame: watchFrame,
  streamType: mediaType => `${mediaType};stream=watch`,
}
