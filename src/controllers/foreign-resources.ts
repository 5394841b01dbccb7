/** A resource of namespaces that another server serves. */
export interface ForeignResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly verbs: readonly string[]
}

/** What the controller reads of an object that another server has. */
export interface ForeignObject {
  readonly name: string
  readonly finalizers: readonly string[]
}

/** What is known of other servers' resources. */
export interface Discovered {
  /** Each resource in one version. */
  readonly resources: readonly ForeignResource[]
  /** Group versions whose server has not answered when it was last asked. */
  readonly stale: readonly string[]
}

/** The objects of namespaces that other servers have. Calls reject with what the server answers, or with why there is no answer. */
export interface ForeignResources {
  discover(): Discovered
  /** Undefined: the server has no such list. */
  list(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<readonly ForeignObject[] | undefined>
  /** False: the server deletes no collections. */
  deleteCollection(resource: ForeignResource, namespace: string, signal: AbortSignal): Promise<boolean>
  delete(resource: ForeignResource, namespace: string, name: string, signal: AbortSignal): Promise<void>
}

export const NO_FOREIGN_RESOURCES: ForeignResources = {
  discover: () => ({ resources: [], stale: [] }),
  list: async () => undefined,
  deleteCollection: async () => false,
  delete: async () => undefined,
}
