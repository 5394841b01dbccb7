import type { FilledBody } from '../lib/filled-body.ts'
import type { AnsweredStatus } from './status.ts'

/** How much of a request its audit event shows (audit.k8s.io/v1 Level). Requests of the level None have no event. */
export type AuditLevel = 'Metadata' | 'Request' | 'RequestResponse'

/** Compact JSON, with a newline at its end or without. The caller does not change it afterwards; a FilledBody is for the event alone. */
export type AuditedBody = Buffer | readonly Buffer[] | FilledBody

/** What an object says of itself that an event refers to it by. */
interface Named {
  readonly namespace?: string
  readonly name?: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** The audit event of a request, for code below the HTTP layer that knows what belongs into it. A request that is not audited has none. */
export interface AuditRecord {
  /** The event holds the object of the request: the level is Request or RequestResponse. */
  readonly showsRequest: boolean
  /** The event holds the object of the answer: the level is RequestResponse. */
  readonly showsResponse: boolean
  /** Sets an annotation of the event. One that has another value already keeps it. */
  annotate(key: string, value: string): void
  /** Completes the reference to the object by what the request's body says, where its path does not. */
  refersTo(metadata: Named): void
  /** The object of the request, for an event that `showsRequest`. */
  requestObject(body: AuditedBody): void
  /** The answer is this Status: the object of the answer, too. */
  answersStatus(status: AnsweredStatus): void
  /** The object of the answer, for an event that `showsResponse`. */
  responseObject(body: AuditedBody): void
}
