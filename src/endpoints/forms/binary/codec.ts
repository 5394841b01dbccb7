import type { KubeObject, ListMeta } from '../../../api/meta/object.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import type { Document } from '../response-form.ts'

/** Encoder of responses in a binary media type. Bodies include the prefix or envelope of the media type. */
export interface BinaryCodec {
  storedBody(version: Version, stored: StoredObject): Buffer
  /** Same as `storedBody`, in turns. Undefined if the object is small or its encoding is cached. */
  storedInTurns(version: Version, stored: StoredObject): Promise<Buffer> | undefined
  /** Normalizes and encodes an object that is not stored. */
  objectBody(schema: StructSchema, object: KubeObject): Steps<Buffer>
  /** Encodes a list from the cached bytes of its items, in segments. */
  listBody(version: Version, meta: ListMeta, items: readonly StoredObject[]): Promise<Buffer[] | FilledBody>
  /** Encodes a list whose items are not stored. */
  plainListBody(version: Version, objects: readonly KubeObject[]): Promise<Buffer[]>
  /** Encodes the PartialObjectMetadata of an object. */
  partialBody(object: KubeObject, apiVersion: string): Buffer
  partialListBody(meta: ListMeta, items: readonly StoredObject[], apiVersion: string): Promise<Buffer[] | FilledBody>
  /**
   * Encodes a document of this schema that is not an object of a resource. Also used for the Status of an ERROR event.
   */
  documentBody(schema: StructSchema, document: Document): Buffer
  /**
   * Encodes an empty list, which the bookmark at the end of a watch's initial events carries. `isUnstructured`: its
   * items are custom resources.
   */
  blueprint(type: { readonly kind: string; readonly apiVersion: string }, isUnstructured: boolean): Buffer
  /** Wraps a body in a watch event. */
  frame(type: string, object: Buffer): Buffer
  /** Length prefix of each event of a watch, in bytes. */
  readonly leadBytes: number
  /** Returns the Content-Type of a watch, by the accepted spelling of the media type. */
  streamType(mediaType: string): string
}
