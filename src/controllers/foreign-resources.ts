/** A namespaced resource of an aggregated server. */
export interface ForeignResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  /** Verbs as discovered. Calls are not made for others. */
  readonly verbs: readonly string[]
}

/** The part of an aggregated server's object that namespace deletion reads. */
export interface ForeignObject {
  readonly name: string
  /** Finalizers that keep the object, for the status of the namespace. */
  readonly finalizers: readonly string[]
}

/** Discovered resources of aggregated servers. */
export interface Discovered {
  /** Each resource in one version. */
  readonly resources: readonly ForeignResource[]
  /** Group versions whose server did not respond to the last discovery. */
  readonly stale: readonly string[]
}

/**
 * Access to namespaced objects of aggregated servers. Calls reject with the server's error, or with the reason why
 * there was no response.
 */
export interface ForeignResources {
  /** Returns the result of the last discovery, without a call. */
  discover(): Discovered
  /** Returns undefined if the server does not support list. */
  list(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<readonly ForeignObject[] | undefined>
  /** Returns false if the server does not support deletecollection. */
  deleteCollection(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<boolean>
  /** Deletes one object. An object that is gone is no error. */
  delete(resource: ForeignResource, namespace: string, name: string, signal: AbortSignal): Promise<void>
}
