// How a fault is written, by a test and in an object. No import: these are among the declarations that the package is published with.

/** Which requests a fault is for. Each list: one of its patterns, which may end in `*`; those that begin with `!` exclude. Absent or empty: all. Only requests for resources have faults. */
export interface FaultMatch {
  /** Names of users. */
  readonly users?: readonly string[]
  /** Beginnings of User-Agent, up to a space: `kubectl/v1.33.0`. */
  readonly agents?: readonly string[]
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs?: readonly string[]
  /** `pods`, `deployments.apps`, `pods/status`. */
  readonly resources?: readonly string[]
  readonly namespaces?: readonly string[]
  /** Of objects, where the request names one. */
  readonly names?: readonly string[]
}

/** How often a request that matches has the fault. Durations as Go writes them (`500ms`, `1m30s`), by the time of the control plane. */
export interface FaultRate {
  /** Of the matching requests, between 0 and 1: drawn by a generator that begins with the seed, so that the same requests in the same order have the same faults. Default: 1. */
  readonly share?: number
  /** Default: 1. */
  readonly seed?: number
  /** So many that match are let pass first. Default: 0. */
  readonly skip?: number
  /** At most so often. Default: without bound. */
  readonly count?: number
  /** From so long after it was added on. Default: at once. */
  readonly after?: string
  /** Only for so long; again and again with `every`. */
  readonly for?: string
  /** Measured from the beginning of one time to that of the next. */
  readonly every?: string
}

/** What happens, in this order. Each is something that the API's contract allows, unless `beyondContract` is set. */
export interface FaultSpec {
  readonly match?: FaultMatch
  readonly rate?: FaultRate
  /** The answer comes so much later, by the time of the control plane. */
  readonly delay?: string
  /** Another client takes the Lease that the request is about to update. */
  readonly lease?: 'Lost'
  /** Answered in place of what was asked for: 429, 500, 503 or 504, and 409 for updates and patches. Other codes are beyond the contract. */
  readonly status?: { readonly code: number; readonly reason?: string; readonly message?: string; readonly retryAfterSeconds?: number }
  /** The connection ends without an answer, and nothing is done (`BeforeCommit`) or all (`AfterCommit`). Over HTTP/2 it is the request's stream that is reset. */
  readonly cut?: 'BeforeCommit' | 'AfterCommit'
  /** 410 where a list goes on from a continue token or asks for an exact version, and where a watch begins at a version. Beyond the contract: wherever a version is asked for. */
  readonly gone?: boolean
  /** Lists that take any version (`resourceVersion=0`) are that old, and so are the events of watches. Beyond the contract: lists of the latest version as well. */
  readonly behind?: string
  /** Watches: they end after so many events, with or without a 410 in the stream, and get no bookmarks. The bookmark that ends the initial events is withheld beyond the contract alone. */
  readonly watch?: { readonly endAfter?: number; readonly withGone?: boolean; readonly withholdBookmarks?: boolean }
  /** Admission webhooks that cannot be reached while the request is admitted, by their names; `*`: all. */
  readonly webhooksDown?: readonly string[]
  /** Also what no server may do by the API's contract. */
  readonly beyondContract?: boolean
}

/** A fault that has been added. */
export interface Fault {
  readonly name: string
  /** Requests that it was for, whether or not they had it. */
  readonly matched: number
  /** Requests that had it. */
  readonly hits: number
  /** Requests have it no more. Watches that it has begun to disturb keep it. */
  remove(): void
}
