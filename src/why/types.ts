import type { WhyStep } from '../meta/why.ts'

/** A recent request, as `GET /binnacle/v1/why` lists it. */
export interface RecentRequest {
  readonly auditID: string
  /** When it came: RFC 3339, with milliseconds. */
  readonly time: string
  /** Empty: nobody knows whose it is. */
  readonly user: string
  /** As the client calls itself. */
  readonly userAgent: string
  /** As the authorizer was asked: `get`, `list`, `create` …; of paths that are no resource the method in lower case. */
  readonly verb: string
  readonly method: string
  /** Values of query parameters that nobody here knows are left out. */
  readonly uri: string
  /** Absent while it is not answered, and where its client has gone before. */
  readonly status?: number
  /** Of the Status that it was answered with. */
  readonly reason?: string
  /** From its receipt to the end of its answer; absent while that goes on. */
  readonly milliseconds?: number
  /** Of the answer's body, before it is compressed; 0 of what streams. */
  readonly bytes: number
}

/** `GET /binnacle/v1/why?limit=&user=&failed=true`: newest first. */
export interface RecentRequestList {
  readonly kind: 'WhyList'
  readonly apiVersion: 'binnacle.dev/v1'
  readonly items: readonly RecentRequest[]
  readonly metadata: {
    /** How many are kept, and how many could be. */
    readonly kept: number
    readonly most: number
    /** Where several processes serve: each keeps those that it has served, and this is one of them. */
    readonly process?: string
  }
}

/** `GET /binnacle/v1/why/AUDIT-ID`: all that is known of one request. A step is `at` so many milliseconds after its receipt. */
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
    /** The address that the connection is from. */
    readonly from: string
    readonly protocol: 'HTTP/1.1' | 'HTTP/2'
    /** Bytes of its body. */
    readonly bytes: number
  }
  readonly steps: readonly (WhyStep & { readonly at: number })[]
  /** Steps beyond what is kept of one request. */
  readonly omittedSteps: number
  readonly answer: {
    readonly mediaType?: string
    /** Of a Status; left out where it may quote a secret. */
    readonly message?: string
    readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[]
  }
  /** Of a request that nobody allows. */
  readonly denial?: Denial
}

/** What a denied user lacks, by the roles and bindings of now. */
export interface Denial {
  /** The modes that were asked, in their order. */
  readonly modes: readonly string[]
  /** Roles and bindings have changed since: the same request would be allowed now, by this one. */
  readonly allowedNow?: string
  /** What comes closest, best first; at most three. */
  readonly closest: readonly ClosestGrant[]
  /** What would allow it, and no more. */
  readonly toAllow: { readonly commands: readonly string[]; readonly yaml: string }
}

/** A binding whose role does not allow the request, and what it lacks. */
export interface ClosestGrant {
  /** `RoleBinding shop/readers`. */
  readonly binding: string
  /** `ClusterRole view`. */
  readonly role: string
  /** `Group devs`: whom of the binding the user is; absent where it is none of them. */
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
