// Types of `binnacle/testing`. They are part of the published declarations, as is everything they import.

import type { ApiClient, ClientUser } from '../clients/api-client.ts'
import type { Fault, FaultSpec } from '../faults/fault-spec.ts'
import type { Why } from '../why/types.ts'

/** An API object as JSON. */
export interface Manifest {
  /** Optional in the type only: `apply` rejects objects without one. */
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/**
 * Objects to apply: one object, YAML or JSON text with one or more documents, or the URL of a file or folder
 * (`new URL('./crds/', import.meta.url)`).
 */
export type Manifests = Manifest | string | URL

/** Audit level of recorded requests. Bodies are recorded from `Request` on, responses with `RequestResponse`. */
export type RecordedLevel = 'Metadata' | 'Request' | 'RequestResponse'

/** Options of `startControlPlane`. */
export interface ControlPlaneOptions {
  /** Release such as `1.37`. Default: `1.33`. */
  readonly release?: string
  /** Feature gates: `{ MutatingAdmissionPolicy: true }`. */
  readonly gates?: Readonly<Record<string, boolean>>
  /**
   * Other flags by name, as listed by `binnacle --help`. Flags for stores and key files are rejected, because a control
   * plane is entirely in memory.
   */
  readonly flags?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /**
   * Whether controllers of workloads, a scheduler and simulated nodes run (`--profile=cluster`): a Deployment gets
   * pods, and they become ready. Default: false.
   */
  readonly cluster?: boolean
  /** Number of simulated nodes of a cluster. Default: 1. */
  readonly nodes?: number
  /** Applied before the start resolves. `reset` restores the state after that. */
  readonly manifests?: readonly Manifests[]
  /**
   * Clock that `advance` moves. A Date or `stopped` (the machine's time): stands still otherwise. `running`: also runs
   * with the machine's. Default: the machine's clock, which cannot be moved.
   */
  readonly clock?: Date | 'stopped' | 'running'
  /**
   * Enables deterministic mode: equal seeds, requests and clock moves yield the same UIDs, generated names, addresses,
   * times and revisions, byte for byte. Writes are serialized, each after the consequences of the previous one. The
   * clock defaults to a stopped one at the beginning of 2030. Keys are derived from the seed, so anyone with the seed
   * has them.
   */
  readonly seed?: string | number
  /** Default: `Metadata`. */
  readonly recordedLevel?: RecordedLevel
  /** Called with each log line. Default: nothing is logged. */
  readonly log?: (line: string) => void
  /** Aborts the start. */
  readonly signal?: AbortSignal
}

/** An object as stored by the server. */
export interface StoredObject {
  /** Version in which the object was applied. */
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

/**
 * Result of `apply`: the stored objects in the given order, typed with the given fields. Texts and URLs may contain any
 * number of objects.
 */
export type Applied<M extends readonly Manifests[]> = M extends readonly Manifest[]
  ? { readonly [I in keyof M]: StoredObject & Omit<M[I], 'apiVersion' | 'kind' | 'metadata'> }
  : readonly StoredObject[]

/** A response of the server. `T` is the type of its body, which is not checked. */
export interface ClientResponse<T = unknown> {
  readonly status: number
  /** Headers by name in lower case, as Node returns them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed if it is JSON, otherwise a string. */
  readonly body: T
}

/** Options of a request. */
export interface RequestOptions {
  /** Sent as JSON. A string is sent unchanged. */
  readonly body?: unknown
  /** Default: merge patch for PATCH, otherwise JSON. */
  readonly contentType?: string
  /** Headers besides those of the client, which they replace. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A user with a client of the server. */
export interface User {
  /** User name, as authorization and audit see it. */
  readonly name: string
  /** YAML. */
  readonly kubeconfig: string
  /** PEM. */
  readonly clientCertificate: string
  /** PEM. */
  readonly clientKey: string
  /**
   * Resolves to the response, whatever its status. Rejects if there is none. @param path path with query. `T` is the
   * type of a successful response's body.
   */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<ClientResponse<T>>
}

/** A request of a client. */
export interface RecordedRequest {
  /** User name of the request, after impersonation. */
  readonly user: string
  readonly groups: readonly string[]
  /** Empty if the request has none. */
  readonly userAgent: string
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`. The lower-case method for
   * non-resource requests.
   */
  readonly verb: string
  /** Includes the query. */
  readonly uri: string
  /** Omitted for non-resource requests. */
  readonly resource?: { readonly group: string; readonly version: string; readonly resource: string; readonly subresource: string }
  /** Empty for cluster-scoped resources, and for lists across all namespaces. */
  readonly namespace: string
  /** Empty for collections, and for creates with a generated name. */
  readonly name: string
  /** Undefined until there is a response. */
  readonly status: number | undefined
  /** Chosen by the server. Equals the `Audit-Id` header of the response. */
  readonly auditId: string
  /** Recorded from the level `Request` on. */
  readonly body?: unknown
  /** Response body. Recorded with the level `RequestResponse`. */
  readonly answer?: unknown
}

/**
 * State of a control plane at some time. Memory use grows with the changes since. Valid for the lifetime of the
 * process.
 */
export interface Snapshot {
  /** Revision of the store at that time. */
  readonly revision: number
}

/** Faults to inject into requests: those that clients must cope with but that rarely occur. */
export interface Faults {
  /**
   * Adds a fault, effective immediately. Throws an Error that names the invalid field, also if clients need not expect
   * the fault and `beyondContract` is not set.
   */
  add(fault: FaultSpec): Fault
  /** Removes all faults. */
  clear(): void
}

/** A control plane in this process, and a client of its administrator. PEM and URLs are as in `startServer`. */
export interface ControlPlane extends User {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string
  /** The gitVersion that /version reports: `v1.33.0+binnacle`. */
  readonly version: string
  /** CA of the server's certificate, as PEM. */
  readonly certificateAuthority: string
  /**
   * Requests of clients so far, in order; at most the last 10,000. Requests of the control plane itself are excluded.
   */
  readonly requests: readonly RecordedRequest[]
  /** Injected faults. */
  readonly faults: Faults
  /**
   * Returns the steps of a request, given by its response, its record or its audit ID. Requires the flag `why`, which
   * sets how many requests are kept. Rejects with an Error if the request is not kept.
   */
  why(request: string | ClientResponse | RecordedRequest): Promise<Why>
  /**
   * Applies objects (server-side apply, forced), namespaces and definitions first, and waits until defined kinds are
   * served. Rejects with an Error that names the rejected object.
   */
  apply<M extends readonly Manifests[]>(...manifests: M): Promise<Applied<M>>
  /** Returns a user with a client certificate for the name and groups. Permissions come from roles and bindings. */
  user(name: string, groups?: readonly string[]): Promise<User>
  /**
   * Returns a client in the process, which needs no socket: with watches, and for the informers of `binnacle/client`.
   * Admission, validation, conflicts and faults are as for other clients, but its requests are not authorized,
   * recorded, limited or audited. Objects that it returns are those of the server, and must not be changed. With a
   * seed, each of its writes waits for the consequences of the previous one.
   */
  client(user?: ClientUser): ApiClient
  /** Returns a control plane with a copy of the whole state, which diverges from then on. */
  fork(): Promise<ControlPlane>
  /** Returns the present state. Synchronous, so no write can come in between. */
  snapshot(): Snapshot
  /**
   * Writes all differences from the snapshot, as changes that watches observe: resource versions increase. Resolves
   * when everything is written.
   */
  restore(snapshot: Snapshot): Promise<void>
  /** Restores the state after the start, forgets recorded requests and removes all faults. */
  reset(): Promise<void>
  /** Time of the control plane. */
  readonly now: Date
  /**
   * Advances the clock by a Go duration (`5m`, `1h30m`) or by milliseconds. Everything that expires, ends or is sent
   * within that time happens at its own time, in order. Rejects if the control plane was started without `clock`.
   */
  advance(duration: string | number): Promise<void>
  /**
   * Resolves when the condition is true; it is checked every 10 milliseconds. Rejects if it throws, or after 30
   * seconds.
   */
  until(condition: () => Promise<boolean> | boolean): Promise<void>
  /** Resolves when nothing was written for `quietMs` milliseconds. Default: 100. Rejects after 30 seconds. */
  settled(quietMs?: number): Promise<void>
  /** Stops the control plane and closes connections. Can be called repeatedly. */
  stop(): Promise<void>
}
