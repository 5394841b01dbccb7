import type { JsonObject, KubeObject } from '../../api/meta/object.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { FilledBody } from '../../lib/filled-body.ts'
import type { ResponseStatus } from '../../meta/status.ts'
import type { ListResult } from '../../registry/read.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { StoredObject } from '../../storage/storage.ts'
import type { Scope } from '../scope.ts'
import type { Framing } from './framing.ts'

/**
 * A response body: one buffer, several buffers, or a body that is made while it is sent. Buffers may be shared between
 * responses and are never modified.
 */
export type Body = Buffer | readonly Buffer[] | FilledBody

/**
 * A response that is not an object of a resource, such as a discovery document. Its kind determines its type. Members
 * are in the order in which Go writes them.
 */
export type Document = JsonObject & { readonly kind: string; readonly apiVersion?: string }

/**
 * Form of a response: a media type and a view (whole objects, a Table, metadata only). Negotiation chooses one for each
 * request, and nothing else depends on the media type. Members throw 406 if the view cannot represent the value.
 */
export interface ResponseForm {
  /** Content-Type of a response other than a watch. */
  readonly contentType: string
  /** Encodes a stored object in the served version. */
  stored(scope: Scope, stored: StoredObject): Awaitable<Body>
  /** Encodes an object of this schema that is not stored: of a dry run, deleted, or a subresource of another kind. */
  object(scope: Scope, schema: StructSchema, object: KubeObject): Awaitable<Body>
  list(scope: Scope, result: ListResult): Awaitable<Body>
  /** Encodes a list whose items are not stored. */
  plainList(scope: Scope, items: readonly KubeObject[]): Awaitable<Body>
  /** Encodes a Status. It does not depend on the view. */
  status(status: ResponseStatus): Awaitable<Body>
  /** Encodes a document of this schema that is not an object of a resource. It does not depend on the view. */
  document(schema: StructSchema, document: Document): Awaitable<Body>
  /** Whether a watch in this form cannot send the bookmark that ends the initial events. */
  readonly withoutInitialEnd?: boolean | undefined
  /** Returns the framing of a watch. */
  framing(scope: Scope): Framing
}
