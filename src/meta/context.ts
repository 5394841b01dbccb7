/** Who makes a request (authentication.k8s.io UserInfo). */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What a request asks for, parsed once from its path by the API grammar. */
export interface RequestInfo {
  readonly path: string
  readonly isResource: boolean
  /** API verb for resources (`get`, `list`, `watch`, `create`, …); lower-case HTTP method otherwise. */
  readonly verb: string
  /** `api` or `apis` for resources. */
  readonly apiPrefix: string
  readonly group: string
  readonly version: string
  readonly namespace: string
  readonly resource: string
  readonly subresource: string
  readonly name: string
  /** Segments after the version (and namespace): resource, name, subresource, … */
  readonly parts: readonly string[]
}

/** What code below the HTTP layer knows of the request it works for. */
export interface RequestContext {
  readonly user: User
  readonly info: RequestInfo
  /** Aborted when the client has gone or the deadline has passed. */
  readonly signal: AbortSignal
  readonly userAgent: string
  /** Milliseconds since the epoch at which the request began. */
  readonly receivedAt: number
  /** When the request is out of time, by the steady clock; 0 or absent: never. */
  readonly deadline?: number
  /** Adds a `Warning` header to the answer; the same text is sent once. */
  warn(text: string): void
}
