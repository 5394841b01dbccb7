import type { KubeObject, TypedObject } from '../api/meta/object.ts'
import type { GroupVersion } from '../api/meta/v1.types.ts'

/** Options of a write of the server itself. */
export interface WriteOptions {
  /** Optional. Subresource that is written, whose strategy applies. Defaults to the object itself. */
  readonly subresource?: string
  /**
   * Whether the managed fields stay as they are: upstream makes this write in the storage, where fields have no
   * managers.
   */
  readonly keepsManagers?: boolean
}

/**
 * In-process access to any resource through the registry: without authentication and authorization, but with defaults,
 * validation and conflicts.
 */
export interface ResourceAccess {
  /** Returns the resource of a kind in a version that is currently served. */
  resourceOf(version: GroupVersion, kind: string): ResourceId | undefined
  /** Returns an object. Rejects with a 404 StatusError if there is none. */
  get(gr: ResourceId, namespace: string, name: string, options?: { resourceVersion?: string }): Promise<KubeObject>
  /** Returns all objects of a namespace, or of every namespace if it is empty, in key order. */
  list(gr: ResourceId, namespace: string, options?: ListAccess): Promise<{ items: KubeObject[]; resourceVersion: string }>
  /** Creates an object and returns it as stored. Rejects with 409 if the name is taken. */
  create(gr: ResourceId, namespace: string, object: KubeObject): Promise<KubeObject>
  /**
   * Reads, changes and writes an object, and repeats this on a conflict. `change` owns its copy; if it returns
   * undefined, nothing is written.
   */
  update(
    gr: ResourceId,
    namespace: string,
    name: string,
    change: (object: KubeObject) => KubeObject | undefined,
    options?: WriteOptions,
  ): Promise<KubeObject>
  /** Requests the deletion of an object, which finalizers may delay. */
  delete(
    gr: ResourceId,
    namespace: string,
    name: string,
    options?: { uid?: string; resourceVersion?: string; propagationPolicy?: string; gracePeriodSeconds?: number; dryRun?: boolean },
  ): Promise<void>
  /**
   * Delivers the events of a resource to `handle`, from its present state on: `added` for existing objects, then
   * changes. The next event follows when the promise that `handle` returns, if any, resolves. Resolves when the watch
   * ends, which the signal causes; rejects with the error that ended it, or with what `handle` throws. `name` limits it
   * to objects of that name. `metadataOnly` delivers only metadata without managed fields, which costs less.
   */
  watch(
    gr: ResourceId,
    namespace: string,
    signal: AbortSignal,
    handle: (event: AccessEvent) => undefined | Promise<void>,
    options?: { name?: string; metadataOnly?: boolean },
  ): Promise<void>
}

/** Identifies a resource in any version. */
export interface ResourceId {
  /** Empty for the core group. */
  readonly group: string
  /** Plural name. */
  readonly resource: string
}

/** Options of a list by the server itself. */
export interface ListAccess {
  /** Selector in the syntax of the query parameter. */
  readonly labelSelector?: string
  /** Selector in the syntax of the query parameter. */
  readonly fieldSelector?: string
  /** '0' reads the current contents of the watch cache. */
  readonly resourceVersion?: string
}

/** An event of a watch by the server itself. */
export interface AccessEvent<T extends TypedObject = KubeObject> {
  /** `synced`: every object that existed when the watch began has been delivered as `added`. */
  readonly type: 'added' | 'modified' | 'deleted' | 'synced'
  /** Shared; must not be changed. Unset for `synced`. */
  readonly object?: T
}
