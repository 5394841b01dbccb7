import type { AuditRecord } from './audit.ts'
import type { FieldTerm } from './field-selector.ts'
import type { LabelRequirement } from './label-requirement.ts'
import type { RequestNotes } from './request-notes.ts'

/** The user of a request (authentication.k8s.io UserInfo). */
export interface User {
  /** Empty before the request is authenticated. */
  readonly name: string
  /** Optional. Omitted if the authenticator knows none. */
  readonly uid?: string
  /** All groups, including those that the server adds, such as `system:authenticated`. */
  readonly groups: readonly string[]
  /** Optional. Further attributes, such as the identity of the credential. */
  readonly extra?: Readonly<Record<string, readonly string[]>>
  /** Optional. Annotations for the audit event, derived from the credentials. They are not part of the user. */
  readonly credentialNotes?: Readonly<Record<string, string>>
}

/** Input of an authorizer (authorization.k8s.io ResourceAttributes and NonResourceAttributes). */
export interface RequestAttributes {
  /** Percent-decoded, without the query. Empty if the attributes only name a resource. */
  readonly path: string
  /** Whether the request is for a resource. If not, only `path` and `verb` are not empty. */
  readonly isResource: boolean
  /**
   * API verb of a resource request (`get`, `list`, `watch`, `create`, `impersonate` and others), otherwise the HTTP
   * method in lower case.
   */
  readonly verb: string
  readonly group: string
  readonly version: string
  /** Empty for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string
  readonly resource: string
  /** Empty for the resource itself. */
  readonly subresource: string
  /** Empty for collections, and for creates. */
  readonly name: string
  /**
   * Optional. Requirements of a collection's field selector that could be parsed. Omitting some makes the request
   * broader, never narrower.
   */
  readonly fieldSelector?: readonly FieldTerm[]
  /** Optional. Requirements of its label selector that could be parsed. */
  readonly labelSelector?: readonly LabelRequirement[]
}

/** Verbs of resource requests. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

/**
 * A request for a resource, parsed once from its method, path and query. Authorizer, limits, metrics and dispatcher all
 * use this value, so that the request that was authorized is the one that runs.
 */
export interface ResourceRequestInfo extends RequestAttributes {
  readonly isResource: true
  /**
   * API verb. `proxy` is the verb of a deprecated path that is not served. Empty for a method without a verb (OPTIONS).
   */
  readonly verb: Verb | 'proxy' | ''
  /** HTTP method, upper case. */
  readonly method: string
  /** First segment of the path: `api` for the core group, `apis` for others. */
  readonly apiPrefix: 'api' | 'apis'
  /** Whether the path has the deprecated prefix `watch/`, which sets the verb to watch for any method. */
  readonly watchPath: boolean
  /** Whether the path begins with `namespaces/NAMESPACE/`, followed by the resource. */
  readonly inNamespace: boolean
  /** Whether the path names an object. A list of one object has its name from a field selector. */
  readonly namesObject: boolean
  /** Path segments after the subresource. */
  readonly rest: readonly string[]
}

/** A request for anything else: discovery, OpenAPI, health, metrics. */
export interface NonResourceRequestInfo extends RequestAttributes {
  readonly isResource: false
}

/** A parsed request. */
export type RequestInfo = ResourceRequestInfo | NonResourceRequestInfo

/** An admission webhook and the configuration that contains it. */
export interface WebhookName {
  readonly configuration: string
  readonly name: string
}

/** Context of a request, for code below the HTTP layer. */
export interface RequestContext {
  /** The impersonated user, if there is one. */
  readonly user: User
  /** Operation that was authorized. */
  readonly info: RequestAttributes
  /** Aborted when the client disconnects or the deadline passes. */
  readonly signal: AbortSignal
  /** User-Agent header, from which the field manager is derived. */
  readonly userAgent: string
  /** Start of the request, in milliseconds since the epoch. */
  readonly receivedAt: number
  /** Optional. Deadline of the request, in milliseconds of the monotonic clock. Default: 0, no deadline. */
  readonly deadline?: number
  /** Optional. Whether the request is not authorized, as those of the process itself. Default: false. */
  readonly isTrusted?: boolean
  /** Audit event of the request. Undefined if it is not audited. */
  readonly audit?: AuditRecord | undefined
  /** Optional. Records the steps of the request for `binnacle why`. */
  readonly why?: RequestNotes | undefined
  /** Optional. Returns the error of an injected fault for a webhook, or undefined to call it. */
  readonly webhookFault?: ((webhook: string) => string | undefined) | undefined
  /**
   * Optional. Replaces calls of admission webhooks. Receives the AdmissionReview with the request, and returns the one
   * with the response.
   */
  readonly reviewInstead?: ((webhook: WebhookName, review: string) => Promise<Buffer>) | undefined
  /** Called when a watch has sent its initial events. It no longer occupies a seat of its priority level. */
  watchInitialized?(): void
  /** Adds a `Warning` header to the response. Each text is sent once. */
  warn(text: string): void
}
