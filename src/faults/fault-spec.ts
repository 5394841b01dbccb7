// Specification of a fault, in a test or an object. This file has no imports, because it is among the declarations that
// the package publishes.

/**
 * The requests that a fault applies to. A list matches if one of its patterns does; a pattern may end in `*`, and one
 * that begins with `!` excludes. An absent or empty list matches all. Only requests for resources have faults.
 */
export interface FaultMatch {
  /** User names. */
  readonly users?: readonly string[]
  /** The User-Agent up to its first space: `kubectl/v1.33.0`. */
  readonly agents?: readonly string[]
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verbs?: readonly string[]
  /** `pods`, `deployments.apps`, `pods/status`. */
  readonly resources?: readonly string[]
  /** Namespaces of requests. A request for all namespaces, or for a cluster-scoped resource, has the empty one. */
  readonly namespaces?: readonly string[]
  /** Names of objects, if the request has one. */
  readonly names?: readonly string[]
}

/**
 * How often a matching request has the fault. Durations are written as in Go (`500ms`, `1m30s`) and measured by the
 * control plane's clock.
 */
export interface FaultRate {
  /**
   * Share of the matching requests, between 0 and 1. Chosen by a seeded generator, so that the same requests in the
   * same order have the same faults. Defaults to 1.
   */
  readonly share?: number
  /** Seed of the generator. Defaults to 1. */
  readonly seed?: number
  /** Number of matching requests without the fault, before the first one. Defaults to 0. */
  readonly skip?: number
  /** Maximum number of requests with the fault. Unlimited by default. */
  readonly count?: number
  /** Delay before the fault takes effect, from its addition. Defaults to 0. */
  readonly after?: string
  /** Duration of the fault, or of each period if `every` is set. Unlimited by default. */
  readonly for?: string
  /** Time between the starts of two periods. */
  readonly every?: string
}

/** One event of watches, counted over all watches that the fault matches. Omitted members match any event. */
export interface FaultEvent {
  /** Type of the event, as in the stream. */
  readonly type?: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly namespace?: string
  readonly name?: string
  /** Number of matching events before it. Defaults to 0. */
  readonly skip?: number
}

/** Effects of a fault, in order. The API's contract allows each of them, unless `beyondContract` is set. */
export interface FaultSpec {
  /** Omitted for all requests for resources. */
  readonly match?: FaultMatch
  /** Omitted for every matching request. */
  readonly rate?: FaultRate
  /** Delay of the response, by the control plane's clock. */
  readonly delay?: string
  /**
   * The request waits until nothing else happens: until no write is in progress, and no event was delivered and no
   * write made for a moment.
   */
  readonly hold?: 'Quiet'
  /** Another client takes the Lease before the request updates it. */
  readonly lease?: 'Lost'
  /**
   * Another client changes an annotation of the object right before the request updates it (`Changes`), deletes the
   * object right before the request (`Deletes`), or deletes it when nothing else happens after it (`DeletesAtRest`).
   * With `watch.endBefore` and `watch.holdAt`, the object of the event is deleted.
   */
  readonly writer?: 'Changes' | 'Deletes' | 'DeletesAtRest'
  /**
   * The program of the client is restarted right before or after the request is executed, which gets no response, or
   * when nothing else happens after it (`AtRest`). Only `explore` can restart a program.
   */
  readonly restart?: 'BeforeCommit' | 'AfterCommit' | 'AtRest'
  /**
   * Response instead of the requested one: 429, 500, 503 or 504, and 409 for updates and patches. Other codes require
   * `beyondContract`.
   */
  readonly status?: { readonly code: number; readonly reason?: string; readonly message?: string; readonly retryAfterSeconds?: number }
  /**
   * The connection is closed without a response, before (`BeforeCommit`) or after (`AfterCommit`) the request is
   * executed. Over HTTP/2, the stream is reset.
   */
  readonly cut?: 'BeforeCommit' | 'AfterCommit'
  /**
   * 410 for a list with a continue token or an exact version, and for a watch that starts at a version.
   * `beyondContract` extends it to every read with a version.
   */
  readonly gone?: boolean
  /**
   * Age of lists with any version (`resourceVersion=0`), and of the events of watches. `beyondContract` extends it to
   * lists of the latest version.
   */
  readonly behind?: string
  /**
   * Number of changes of the resource that a list with any version (`resourceVersion=0`) is behind. A watch that
   * continues from it waits like a request with `hold`.
   */
  readonly behindChanges?: number
  /**
   * Watches end after a number of events (`endAfter`) or before one event (`endBefore`), with or without a 410 in the
   * stream, and get no bookmarks. The bookmark that ends the initial events is only withheld with `beyondContract`.
   * `reopen`: after `endBefore`, the next list or watch of the resource waits like a request with `hold`. `holdAt`:
   * from this event on the watch delivers nothing until nothing else happens (`Quiet`, the default of `until`), or
   * until another watch has delivered its next event (`OtherEvent`).
   */
  readonly watch?: {
    readonly endAfter?: number
    readonly endBefore?: FaultEvent
    readonly withGone?: boolean
    readonly reopen?: 'Quiet'
    readonly holdAt?: FaultEvent
    readonly until?: 'Quiet' | 'OtherEvent'
    readonly withholdBookmarks?: boolean
  }
  /** Names of admission webhooks that cannot be reached while the request is admitted. `*` matches all. */
  readonly webhooksDown?: readonly string[]
  /** Whether effects are allowed that violate the API's contract. */
  readonly beyondContract?: boolean
}

/** A fault that has been added. */
export interface Fault {
  /** Name in messages and metrics: `fault-1` and so on, or that of the object. */
  readonly name: string
  /** Number of requests that matched, with or without the fault. */
  readonly matched: number
  /** Number of requests that had the fault. */
  readonly hits: number
  /** Removes the fault for new requests. Watches that already have it keep it. */
  remove(): void
}
