import type { KubeObject, ListMeta } from '../../../api/meta/object.ts'
import { apiVersionOfVersion } from '../../../catalog/catalog.ts'
import type { Version } from '../../../catalog/definition.ts'
import { CBOR_SEQUENCE_TYPE } from '../../../codec/accept-header.ts'
import { cborBody, cborFrame, cborList, encodeCbor, encodeCborInSteps, encodeCborValue } from '../../../codec/cbor.ts'
import type { TypeMeta } from '../../../codec/protobuf.ts'
import { mapInSlices } from '../../../lib/slices.ts'
import { runInTurns, type Steps } from '../../../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'
import { decode, decodeInSteps } from '../../../schema/decode.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import type { Encoder, StoredObject } from '../../../storage/storage.ts'
import { listTypeMetaOf, metaType } from '../meta-v1.ts'
import type { Document } from '../response-form.ts'
import type { BinaryCodec } from './codec.ts'

interface Encoders {
  /** Encodes with kind and apiVersion. */
  readonly whole: Encoder
  /** Encodes without them, for lists. Keys are sorted, so the type cannot be cut off as a prefix. */
  readonly item: Encoder
}

const encoders = new WeakMap<StructSchema, Encoders>()

/** Returns the encoders of a version. Objects cache their encodings by the encoder's identity. */
function encodersOf(version: Version): Encoders {
  const { schema } = version
  let known = encoders.get(schema)
  if (!known) {
    const apiVersion = apiVersionOfVersion(version)
    const encoder = (id: string, typed: boolean): Encoder => ({
      id: `${id};${apiVersion}`,
      encode: object => ({ bytes: encodeCbor(schema, object, typed), header: 0 }),
    })
    known = { whole: encoder('cbor', true), item: encoder('cbor-item', false) }
    encoders.set(schema, known)
  }
  return known
}

const storedBody = (version: Version, stored: StoredObject): Buffer => cborBody(stored.encoded(encodersOf(version).whole).bytes)

const storedInTurns = (version: Version, stored: StoredObject): Promise<Buffer> | undefined =>
  encodedInTurns(version, stored, true)?.then(cborBody)

/**
 * Encodes a large object in turns, as a list item if it is not `typed`. Undefined if it is small or its encoding is
 * cached.
 */
function encodedInTurns(version: Version, stored: StoredObject, typed: boolean): Promise<Buffer> | undefined {
  const { whole, item } = encodersOf(version)
  const { id } = typed ? whole : item
  if (stored.kept(id) !== undefined) return undefined
  return stored.objectInTurns?.()?.then(async object => {
    const encoded = { bytes: await runInTurns(encodeCborInSteps(version.schema, object, typed)), header: 0 }
    // The object keeps it.
    stored.encoded({ id, transcode: () => encoded, encode: () => encoded })
    return encoded.bytes
  })
}

/** Encodes an object that is not stored. */
function* objectBody(schema: StructSchema, object: KubeObject): Steps<Buffer> {
  const { kind, apiVersion } = object
  const normal = { kind, apiVersion, ...(yield* decodeInSteps(schema, object)) }
  yield
  return cborBody(yield* encodeCborInSteps(schema, normal))
}

async function listBody(version: Version, meta: ListMeta, items: readonly StoredObject[]): Promise<Buffer[]> {
  const { item: encoder } = encodersOf(version)
  const encoded: Buffer[] = []
  for (const item of items) {
    if (turnIsSpent()) await nextTurn()
    const large = encodedInTurns(version, item, false)
    encoded.push(large ? await large : item.encoded(encoder).bytes)
  }
  return cborListSegments(listTypeMetaOf(version), meta, encoded)
}

/** Encodes a list whose items are not stored. */
const plainListBody = async (version: Version, objects: readonly KubeObject[]): Promise<Buffer[]> =>
  cborListSegments(
    listTypeMetaOf(version),
    {},
    objects.map(object => encodeCbor(version.schema, decode(version.schema, object), false)),
  )

/** Returns a list in segments of one item each, which are joined while they are sent. */
const cborListSegments = (type: TypeMeta, meta: ListMeta, items: readonly Buffer[]): Buffer[] =>
  cborList(type, encodeCbor(metaType('meta.ListMeta'), meta), items)

/** Returns the PartialObjectMetadata of an object. */
const partialBody = (object: KubeObject, apiVersion: string): Buffer => cborBody(partialItem(object, apiVersion))

const partialItem = (object: KubeObject, apiVersion: string): Buffer =>
  encodeCbor(metaType('meta.PartialObjectMetadata'), { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata })

async function partialListBody(meta: ListMeta, items: readonly StoredObject[], apiVersion: string): Promise<Buffer[]> {
  const encoded = await mapInSlices(items, item => partialItem(item.object(), apiVersion))
  return cborListSegments({ apiVersion, kind: 'PartialObjectMetadataList' }, meta, encoded)
}

const documentBody = (schema: StructSchema, document: Document): Buffer => {
  const { kind, apiVersion = '' } = document
  return cborBody(encodeCbor(schema, { kind, apiVersion, ...decode(schema, document) }))
}

/** application/cbor, behind the gate CBORServingAndStorage. KEP-4222. */
export const cborCodec: BinaryCodec = {
  storedBody,
  storedInTurns,
  objectBody,
  listBody,
  plainListBody,
  partialBody,
  partialListBody,
  documentBody,
  blueprint: ({ kind, apiVersion }, isUnstructured) =>
    cborBody(encodeCborValue(isUnstructured ? { kind, apiVersion, items: [] } : { kind, apiVersion, metadata: {}, items: null })),
  frame: cborFrame,
  leadBytes: 0,
  streamType: () => CBOR_SEQUENCE_TYPE,
}
