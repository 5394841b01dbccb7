// What `binnacle/testing` speaks of: the declarations that the package is published with. What is imported is among them.

import type { Fault, FaultSpec } from '../faults/fault-spec.ts'
import type { Why } from '../why/types.ts'

/** An object of the API, as JSON has it. */
export interface Manifest {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** Objects: one, a text of YAML or JSON with one document or several, or the URL of a file or a folder (`new URL('./crds/', import.meta.url)`). */
export type Manifests = Manifest | string | URL

/** How much of each request is recorded: levels of an audit policy. Bodies from `Request` on, answers with `RequestResponse`. */
export type RecordedLevel = 'Metadata' | 'Request' | 'RequestResponse'

export interface ControlPlaneOptions {
  /** `1.24` to `1.36`. Default: `1.33`. */
  readonly release?: string
  /** Feature gates: `{ MutatingAdmissionPolicy: true }`. */
  readonly gates?: Readonly<Record<string, boolean>>
  /** Other flags by their names, as `binnacle --help` lists them. Those of stores and files of keys are refused: all of a control plane is in memory. */
  readonly flags?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** Applied before the start resolves; `reset` goes back to what is there then. */
  readonly manifests?: readonly Manifests[]
  /**
   * What `advance` moves. A Date or `stopped` (at the machine's time): a clock that stands still but for that. `running`: one that goes on with the machine's. Absent: the machine's own, which is not
   * moved.
   */
  readonly clock?: Date | 'stopped' | 'running'
  /**
   * Deterministic mode: the same seed, requests and moves of the clock make the same uids, generated names, addresses, times and revisions, byte for byte. Writes are let in one by one, each when what the one
   * before has led to is over. The clock stands still at the beginning of 2030 where none is given. Keys are made of the seed: who knows it has them.
   */
  readonly seed?: string | number
  /** Default: `Metadata`. */
  readonly recordedLevel?: RecordedLevel
  /** Called with each line of the log. Default: there is none. */
  readonly log?: (line: string) => void
  /** Ends a start that is not done. */
  readonly signal?: AbortSignal
}

/** An object as the server has stored it. */
export interface StoredObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid: string
    readonly resourceVersion: string
    readonly creationTimestamp: string
    readonly generation?: number
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** What `apply` resolves with: for each object in the order given, the stored one, with the fields that it was given; texts and URLs may hold any number. */
export type Applied<M extends readonly Manifests[]> = M extends readonly Manifest[]
  ? { readonly [I in keyof M]: StoredObject & Omit<M[I], 'apiVersion' | 'kind' | 'metadata'> }
  : readonly StoredObject[]

/** An answer of the server. `T` is the type of its body, which is not checked. */
export interface Answer<T = unknown> {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed where it is JSON, otherwise a text. */
  readonly body: T
}

export interface RequestOptions {
  /** Sent as JSON, a text as it is. */
  readonly body?: unknown
  /** Default: by the method, a merge patch for PATCH, otherwise JSON. */
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Somebody who asks the server. */
export interface User {
  readonly name: string
  /** YAML. */
  readonly kubeconfig: string
  /** PEM. */
  readonly clientCertificate: string
  /** PEM. */
  readonly clientKey: string
  /** Resolves with the answer whatever its status, and rejects where there is none. `path` with its query. `T`: the type that its body has, if the request succeeds. */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>>
}

/** A request that a client has made. */
export interface RecordedRequest {
  readonly user: string
  readonly groups: readonly string[]
  readonly userAgent: string
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`; of other paths the method in lower case. */
  readonly verb: string
  /** With its query. */
  readonly uri: string
  /** Absent where the request is about no resource. */
  readonly resource?: { readonly group: string; readonly version: string; readonly resource: string; readonly subresource: string }
  readonly namespace: string
  readonly name: string
  /** Undefined while it is not answered. */
  readonly status: number | undefined
  /** Of the server's own choice, as in its answer's `Audit-Id`. */
  readonly auditId: string
  /** With the level `Request`. */
  readonly body?: unknown
  /** With the level `RequestResponse`. */
  readonly answer?: unknown
}

/** All that a control plane held at a moment. Takes what has changed since, and is good for as long as the process. */
export interface Snapshot {
  /** The store's revision at that moment. */
  readonly revision: number
}

/** Faults that requests have on purpose: those that clients have to cope with, and can't be waited for. */
export interface Faults {
  /** From now on. Throws an Error that names what is wrong, and where it is something that no client has to expect and `beyondContract` is not set. */
  add(fault: FaultSpec): Fault
  /** Removes all. */
  clear(): void
}

/** A control plane in this process, and its administrator. PEM and URLs are as those of `startServer`. */
export interface ControlPlane extends User {
  readonly url: string
  /** As /version has it: `v1.33.0+binnacle`. */
  readonly version: string
  readonly certificateAuthority: string
  /** What clients have asked for so far, in the order in which it came; the last 10,000. What the control plane does by itself is not among it. */
  readonly requests: readonly RecordedRequest[]
  /** What is done to requests on purpose. */
  readonly faults: Faults
  /**
   * What was found out about a request: by its answer, its record or its audit id. The control plane has to be started with the flag `why`, which says how many requests are kept. Rejects with an Error where nothing is
   * known.
   */
  why(request: string | Answer | RecordedRequest): Promise<Why>
  /** Applies objects (server-side apply, forced), namespaces and definitions first, and waits until what they define is served. Rejects with an Error that names the object that is refused. */
  apply<M extends readonly Manifests[]>(...manifests: M): Promise<Applied<M>>
  /** Somebody else, with a certificate for the name and the groups. Rights are what roles and bindings say. */
  user(name: string, groups?: readonly string[]): Promise<User>
  /** A control plane with a copy of everything, whose changes are its own. */
  fork(): Promise<ControlPlane>
  snapshot(): Snapshot
  /** Writes what differs from the snapshot, as changes that watches see: resource versions go on. Resolves when all of it is written. */
  restore(snapshot: Snapshot): Promise<void>
  /** `restore` to what was there when it had started. Forgets the requests, and removes all faults. */
  reset(): Promise<void>
  /** The control plane's time. */
  readonly now: Date
  /**
   * Has time go by: a duration as Go writes it (`5m`, `1h30m`), or milliseconds. What expires, ends or is told meanwhile does so at its time, and in that order. Rejects where the control plane was started
   * without a `clock`.
   */
  advance(duration: string | number): Promise<void>
  /** Resolves when the condition holds, which is asked every 10 milliseconds, and rejects with what it throws, or after 30 seconds. */
  until(condition: () => Promise<boolean> | boolean): Promise<void>
  /** Resolves when nothing has been written for so many milliseconds (100), and rejects after 30 seconds. */
  settled(quietMs?: number): Promise<void>
  /** Ends it; connections are closed. May be called again. */
  stop(): Promise<void>
}
