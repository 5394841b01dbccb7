import type { AuditRecord } from './audit.ts'
import type { FieldTerm } from './field-selector.ts'
import type { LabelRequirement } from './label-requirement.ts'
import type { RequestNotes } from './request-notes.ts'

/** Who makes a request (authentication.k8s.io UserInfo). */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** Annotations for the audit event of a request with these credentials: of the credentials, and no part of the user. */
  readonly credentialNotes?: Readonly<Record<string, string>>
}

/** What an authorizer is asked about (authorization.k8s.io ResourceAttributes and NonResourceAttributes). */
export interface RequestAttributes {
  /** Percent-decoded, without the query. Empty where nothing but a resource is named. */
  readonly path: string
  readonly isResource: boolean
  /** API verb for resources (`get`, `list`, `watch`, `create`, `impersonate` …); lower-case HTTP method otherwise. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** The terms of a collection's field selector, as far as they can be read. Absent where nothing is selected: fewer terms make the question a wider one. */
  readonly fieldSelector?: readonly FieldTerm[]
  /** The same of its label selector. */
  readonly labelSelector?: readonly LabelRequirement[]
}

/** What can be done with a resource. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/**
 * What a request for a resource will do, parsed once from its method, path and query. The authorizer, the limits, the metrics and the dispatcher read this value and nothing else, so that
 * what was authorized is what runs.
 */
export interface ResourceRequestInfo extends RequestAttributes {
  readonly isResource: true
  /** `proxy`: by its deprecated path, which nothing serves. Empty: of a method that has no verb (OPTIONS). */
  readonly verb: Verb | 'proxy' | ''
  /** HTTP method, upper case. */
  readonly method: string
  readonly apiPrefix: 'api' | 'apis'
  /** The deprecated path `watch/…` decides the verb, whatever the method is. */
  readonly watchPath: boolean
  /** The path begins with `namespaces/NAMESPACE/`, and the resource stands behind it. */
  readonly inNamespace: boolean
  /** The path names the object. A list of one object has its name from a field selector only. */
  readonly namesObject: boolean
  /** Segments behind the subresource. */
  readonly rest: readonly string[]
}

/** A request for anything else: discovery, OpenAPI, health, metrics. */
export interface NonResourceRequestInfo extends RequestAttributes {
  readonly isResource: false
}

export type RequestInfo = ResourceRequestInfo | NonResourceRequestInfo

/** What code below the HTTP layer knows of the request it works for. */
export interface RequestContext {
  readonly user: User
  readonly info: RequestAttributes
  /** Aborted when the client has gone or the deadline has passed. */
  readonly signal: AbortSignal
  readonly userAgent: string
  /** Milliseconds since the epoch at which the request began. */
  readonly receivedAt: number
  /** When the request is out of time, by the steady clock; 0 or absent: never. */
  readonly deadline?: number
  /** The request's audit event; absent where it is not audited. */
  readonly audit?: AuditRecord | undefined
  /** Where it is taken down what the request goes through; absent, and undefined: nowhere. */
  readonly why?: RequestNotes | undefined
  /** Why a webhook cannot be reached, on purpose; absent, and undefined: it is asked. */
  readonly webhookFault?: ((webhook: string) => string | undefined) | undefined
  /** Reports that a watch has received its initial events: from then on it costs others nothing. */
  watchInitialized?(): void
  /** Adds a `Warning` header to the answer; the same text is sent once. */
  warn(text: string): void
}
