import type { FilledBody } from '../../lib/filled-body.ts'
import type { JsonObject, KubeObject } from '../../meta/object.ts'
import type { AnsweredStatus } from '../../meta/status.ts'
import type { ListResult } from '../../registry/read.ts'
import type { StructSchema } from '../../schema/schema.ts'
import type { StoredObject } from '../../storage/storage.ts'
import type { Scope } from '../scope.ts'
import type { Framing } from './framing.ts'

/** What is sent: one buffer, buffers in turn, or what is made while it is sent. Buffers are shared with other answers and never changed. */
export type Body = Buffer | readonly Buffer[] | FilledBody

/** At once where nothing has to be waited for: a promise costs every answer. */
export type Made<T> = T | Promise<T>

/** An answer that is no object of a resource, such as a document of discovery: it says its kind, and its type is known by it. Members stand in the order in which Go writes them. */
export type Document = JsonObject & { readonly kind: string; readonly apiVersion?: string }

/**
 * How a request is answered: a media type with a view (whole objects, a Table, metadata alone). Negotiation chooses one for each request, and nothing else asks for media types. A member throws
 * 406 for what its view can't show.
 */
export interface AnswerForm {
  /** Content-Type of a whole answer. */
  readonly contentType: string
  /** An object as it is stored, in the version that is served. */
  stored(scope: Scope, stored: StoredObject): Made<Body>
  /** An object that is not stored (of a dry run, deleted, a subresource of another kind), of this schema. */
  object(scope: Scope, schema: StructSchema, object: KubeObject): Made<Body>
  list(scope: Scope, result: ListResult): Made<Body>
  /** A list whose items are not stored. */
  plainList(scope: Scope, items: readonly KubeObject[]): Made<Body>
  /** A Status, whatever the view is. */
  status(status: AnsweredStatus): Made<Body>
  /** What is no object of a resource, of this schema, whatever the view is. */
  document(schema: StructSchema, document: Document): Made<Body>
  /** A watch in this form can't end its initial events by a bookmark. */
  readonly withoutInitialEnd?: boolean | undefined
  /** The frames of a watch. */
  framing(scope: Scope): Framing
}

/** Goes on with a value: at once where it is there. */
export const after = <T, U>(made: Made<T>, then: (value: T) => Made<U>): Made<U> => (made instanceof Promise ? made.then(then) : then(made))
