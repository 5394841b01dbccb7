import type { IncomingHttpHeaders } from 'node:http'
import type { AuditedBody, AuditRecord } from '../meta/audit.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import type { ResponseStatus } from '../meta/status.ts'
import type { Audited } from './policy.ts'
import { sourceIps } from './source-ips.ts'
import { statusObject } from './status-text.ts'

/** The request of an event. */
export interface AuditedRequest {
  /** ID of the request, the same in all of its events. */
  readonly auditId: string
  /** Request target as the client sent it. */
  readonly uri: string
  readonly info: RequestInfo
  /** Headers, for the source addresses that proxies add. */
  readonly headers: IncomingHttpHeaders
  /** Empty if the request has none. */
  readonly userAgent: string
  /** Address of the connection. Empty if it is not known. */
  readonly remoteAddress: string
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
  /** Whether the event of the stage ResponseStarted is written. */
  readonly longRunning: boolean
  /** Milliseconds since the receipt. */
  elapsed(): number
}

/** Name of the object of a request, as far as the request or its response states it. */
export interface AuditReference {
  /** Empty if it is not known, or for cluster-scoped objects. */
  readonly namespace: string
  /** Empty if it is not known. */
  readonly name: string
  /** Empty if it is not known. */
  readonly uid: string
  /** Empty if it is not known. */
  readonly resourceVersion: string
}

/**
 * State of an audited request, from which its events are written at each stage. Only the request's own handlers modify
 * it.
 */
export class AuditEvent implements AuditRecord {
  /** Request that the event is about. */
  readonly request: AuditedRequest
  /** Level and stages for this request. */
  readonly audited: Audited
  /** Undefined if the request was not authenticated. */
  readonly user: User | undefined
  /** Determined at the start: a closed connection has no address. */
  readonly sourceIps: readonly string[]
  /** User that the request impersonates. */
  impersonated: User | undefined
  /** Constraint under which the impersonation was allowed (KEP-5284). Undefined without one. */
  impersonationConstraint: string | undefined
  /** Completed by `refersTo`. */
  reference: AuditReference
  /** Status of the response, if it is one. */
  status: ResponseStatus | undefined
  /** Code of the response; 0 until it begins. */
  code = 0
  /** Set if the level includes it. */
  requestBody: AuditedBody | undefined
  /** Set if the level includes it, and the response is an object. */
  responseBody: AuditedBody | undefined
  /** Annotations, in the order in which they were set. */
  readonly annotations = new Map<string, string>()

  constructor(request: AuditedRequest, audited: Audited, user: User | undefined) {
    this.request = request
    this.audited = audited
    this.user = user
    this.sourceIps = sourceIps(request.headers, request.remoteAddress)
    const { namespace, name } = request.info
    this.reference = { namespace, name, uid: '', resourceVersion: '' }
  }

  /** Whether the level includes the request's body. */
  get showsRequest(): boolean {
    return this.audited.level !== 'Metadata'
  }

  /** Whether the level includes the response's body. */
  get showsResponse(): boolean {
    return this.audited.level === 'RequestResponse'
  }

  /** Adds an annotation. The first value of a key is kept. */
  annotate(key: string, value: string): void {
    if (!this.annotations.has(key)) this.annotations.set(key, value)
  }

  /** Completes the reference. Values that are known already are kept. */
  refersTo({ namespace = '', name = '', uid = '', resourceVersion = '' }: Partial<AuditReference>): void {
    const { reference } = this
    this.reference = {
      namespace: reference.namespace || namespace,
      name: reference.name || name,
      uid: reference.uid || uid,
      resourceVersion: reference.resourceVersion || resourceVersion,
    }
  }

  /** The Status is the response object, too, if the level includes that. */
  answersStatus(status: ResponseStatus): void {
    this.status = status
    if (this.showsResponse) this.responseBody = statusObject(status)
  }

  /** The body must not be changed afterwards. */
  requestObject(body: AuditedBody): void {
    this.requestBody = body
  }

  /** The body must not be changed afterwards. */
  responseObject(body: AuditedBody): void {
    this.responseBody = body
  }
}
