import type { WhyStep } from '../meta/why.ts'

/** A recent request, as `GET /binnacle/v1/why` lists it. */
export interface RecentRequest {
  /** Equals the `Audit-Id` header of the response. */
  readonly auditID: string
  /** Time of receipt: RFC 3339 with milliseconds. */
  readonly time: string
  /** Empty if the request was not authenticated. */
  readonly user: string
  /** The User-Agent header. */
  readonly userAgent: string
  /** Verb that was authorized: `get`, `list`, `create` …; for a non-resource request its method in lower case. */
  readonly verb: string
  readonly method: string
  /** Values of unknown query parameters are redacted. */
  readonly uri: string
  /** Omitted until a response begins, and if the client disconnected before. */
  readonly status?: number
  /** Reason of the response's Status. */
  readonly reason?: string
  /** Milliseconds from receipt to the end of the response. Omitted until it ends. */
  readonly milliseconds?: number
  /** Bytes of the response's body before compression; 0 for a stream. */
  readonly bytes: number
}

/** `GET /binnacle/v1/why?limit=&user=&failed=true`: latest first. */
export interface RecentRequestList {
  readonly kind: 'WhyList'
  readonly apiVersion: 'binnacle.dev/v1'
  /** Newest first. */
  readonly items: readonly RecentRequest[]
  readonly metadata: {
    /** Number of recorded requests, and their maximum number. */
    readonly kept: number
    readonly most: number
    /**
     * Name of the process that responds. Each of several processes records the requests that it serves. Omitted if
     * there is one.
     */
    readonly process?: string
  }
}

/**
 * `GET /binnacle/v1/why/AUDIT-ID`: everything that is recorded about a request. `at`: milliseconds between the receipt
 * and the step.
 */
export interface Why extends RecentRequest {
  readonly kind: 'Why'
  readonly apiVersion: 'binnacle.dev/v1'
  readonly request: {
    readonly isResource: boolean
    readonly group: string
    readonly version: string
    readonly resource: string
    readonly subresource: string
    readonly namespace: string
    readonly name: string
    readonly path: string
    /** Remote address of the connection. */
    readonly from: string
    readonly protocol: 'HTTP/1.1' | 'HTTP/2'
    /** Bytes of the request's body. */
    readonly bytes: number
  }
  /** Steps in the order in which they were recorded. */
  readonly steps: readonly (WhyStep & { readonly at: number })[]
  /** Number of steps that were not recorded. */
  readonly omittedSteps: number
  readonly answer: {
    readonly mediaType?: string
    /** Message of a Status. Omitted if it may quote a secret. */
    readonly message?: string
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  }
  /** Set if no authorizer allowed the request. */
  readonly denial?: MissingPermissions
}

/** The permissions that a denied user lacks, by the current roles and bindings. */
export interface MissingPermissions {
  /** Authorization modes, in order. */
  readonly modes: readonly string[]
  /**
   * Set if roles and bindings have changed so that the same request would be allowed now. Names the binding that allows
   * it.
   */
  readonly allowedNow?: string
  /** The closest bindings, best first; at most three. */
  readonly closest: readonly ClosestGrant[]
  /** The smallest grant that allows the request. */
  readonly toAllow: { readonly commands: readonly string[]; readonly yaml: string }
}

/** A binding whose role does not allow the request, and the parts that are missing. */
export interface ClosestGrant {
  /** `RoleBinding shop/readers`. */
  readonly binding: string
  /** `ClusterRole view`. */
  readonly role: string
  /** Subject of the binding that matches the user: `Group devs`. Omitted if none does. */
  readonly subject?: string
  readonly rule: {
    readonly verbs: readonly string[]
    readonly apiGroups?: readonly string[]
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
    readonly nonResourceURLs?: readonly string[]
  }
  readonly missing: readonly MissingPart[]
}

type MissingPart = 'subject' | 'namespace' | 'verb' | 'apiGroup' | 'resource' | 'name' | 'path'
