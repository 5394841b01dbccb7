import type { FilledBody } from '../lib/filled-body.ts'
import type { ResponseStatus } from './status.ts'

/** Level of detail of an audit event (audit.k8s.io/v1 Level). Requests of the level None have no event. */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse'

/**
 * Compact JSON, with or without a trailing newline. The caller must not change it afterwards. A FilledBody is used for
 * the event only.
 */
export type AuditedBody = Buffer | readonly Buffer[] | FilledBody

/** Metadata by which an event refers to an object. */
interface Named {
  /** Set if the path has no namespace. */
  readonly namespace?: string
  /** Set if the path has no name, as on create. */
  readonly name?: string
  /** UID of the object in the body. */
  readonly uid?: string
  /** Revision of the object in the body. */
  readonly resourceVersion?: string
}

/**
 * Audit event of a request, for code below the HTTP layer that contributes to it. A request that is not audited has
 * none.
 */
export interface AuditRecord {
  /** Whether the event contains the request object: the level is Request or RequestResponse. */
  readonly showsRequest: boolean
  /** Whether the event contains the response object: the level is RequestResponse. */
  readonly showsResponse: boolean
  /** Sets an annotation of the event. The first value of a key is kept. */
  annotate(key: string, value: string): void
  /** Completes the object reference from the body of the request, for members that its path does not have. */
  refersTo(metadata: Named): void
  /** Sets the request object, for an event that `showsRequest`. */
  requestObject(body: AuditedBody): void
  /** Sets the response to a Status, which is also the response object. */
  answersStatus(status: ResponseStatus): void
  /** Sets the response object, for an event that `showsResponse`. */
  responseObject(body: AuditedBody): void
}
