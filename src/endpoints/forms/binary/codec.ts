import type { Version } from '../../../catalog/definition.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { KubeObject, ListMeta } from '../../../meta/object.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import type { Document } from '../answer-form.ts'

/** How answers are written in a binary media type. Bodies come whole, with what the type begins and ends them. */
export interface BinaryCodec {
  storedBody(version: Version, stored: StoredObject): Buffer
  /** An object that is not stored: normalised, then encoded. */
  objectBody(schema: StructSchema, object: KubeObject): Steps<Buffer>
  /** From the ready bytes of the items, in segments. */
  listBody(version: Version, meta: ListMeta, items: readonly StoredObject[]): Promise<Buffer[] | FilledBody>
  /** A list whose items are not stored. */
  plainListBody(version: Version, objects: readonly KubeObject[]): Promise<Buffer[]>
  /** PartialObjectMetadata of an object. */
  partialBody(object: KubeObject, apiVersion: string): Buffer
  partialListBody(meta: ListMeta, items: readonly StoredObject[], apiVersion: string): Promise<Buffer[] | FilledBody>
  /** What is no object of a resource, of this schema; a Status as the object of an ERROR event, too. */
  documentBody(schema: StructSchema, document: Document): Buffer
  /** An empty list, as the end of a watch's initial events shows it. */
  blueprint(type: { readonly kind: string; readonly apiVersion: string }): Buffer
  /** A watch event around a body. */
  frame(type: string, object: Buffer): Buffer
  /** Bytes before each event of a watch that only give its length. */
  readonly leadBytes: number
  /** The Content-Type of a watch, for the spelling that was accepted. */
  streamType(mediaType: string): string
}
