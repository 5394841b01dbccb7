import { type Json, type JsonObject, objectIn, type TypedObject } from '../api/meta/object.ts'
import { JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from '../codec/patch-types.ts'
import { apiVersionOf } from '../meta/gvk.ts'

/** Identifies a kind in one version, as a path of the API does, with the type of its objects. */
export interface ResourceKind<T extends TypedObject> {
  /** Empty for the core group. */
  readonly group: string
  /** Version of the objects that are sent and returned. */
  readonly version: string
  /** Plural name. */
  readonly resource: string
  readonly kind: string
  /** Whether objects have a namespace in their path. */
  readonly namespaced: boolean
  /** Never set: it only carries the type. */
  readonly objectType?: T
}

/** Limits a list or a watch. */
export interface Selection {
  /** Omitted for all namespaces. */
  readonly namespace?: string
  /** Selector in the syntax of the query parameter: `app=web,tier!=cache`. */
  readonly labelSelector?: string
  /** Selector in the syntax of the query parameter: `spec.nodeName=node-1`. */
  readonly fieldSelector?: string
}

/** Selects the objects of a list, and how recent their state has to be. */
export interface ListQuery extends Selection {
  /** `0` returns any state, such as that of the watch cache. Default: the latest state. */
  readonly resourceVersion?: string
  /** Selector of the series of a metric, in lists of custom metrics. */
  readonly metricLabelSelector?: string
}

/** A whole list. Clients that read it in pages join them. */
export interface ObjectList<T extends TypedObject> {
  /** Objects with apiVersion and kind. */
  readonly items: readonly T[]
  /** A watch from it continues without a gap. */
  readonly resourceVersion: string
}

/** An event of a watch. A bookmark carries only a resource version. */
export type WatchedChange<T extends TypedObject> =
  | { readonly type: 'added' | 'modified' | 'deleted'; readonly object: T; readonly resourceVersion: string }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }

/** Names the object of a write, and the subresource if it is one. */
export interface ObjectName {
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
  /** Optional. Defaults to the object itself. */
  readonly subresource?: string
}

/**
 * Options of a deletion, as those of DeleteOptions with the same names. If the UID or the resource version differs from
 * that of the stored object, the deletion is rejected with 409.
 */
export interface DeletePreconditions {
  /** Precondition. */
  readonly uid?: string
  /** Precondition. */
  readonly resourceVersion?: string
  /** Optional. Defaults to that of the kind. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground'
  /** Optional. Defaults to that of the object, if the kind has grace periods. */
  readonly gracePeriodSeconds?: number
}

/**
 * Type of a patch: RFC 6902, RFC 7386, or the strategic merge patch of Kubernetes, which custom kinds do not support.
 */
export type PatchType = 'json' | 'merge' | 'strategic'

/** Media types of patches. */
export const PATCH_MEDIA_TYPES: Readonly<Record<PatchType, string>> = { json: JSON_PATCH, merge: MERGE_PATCH, strategic: STRATEGIC_PATCH }

/** A patch: an object, or the list of operations of a JSON patch. */
export type PatchBody = JsonObject | readonly Json[]

/** Options of a server-side apply. */
export interface ApplyOptions {
  /** Name under which the applied fields are owned. */
  readonly fieldManager: string
  /** Optional. Whether fields of other managers are taken from them. Default: their conflict rejects the request. */
  readonly force?: boolean
}

/**
 * Client of the API of one server, in its process or over HTTP. Every method rejects with a StatusError if the server
 * rejects the request. Objects that are returned may be shared with other readers and must not be changed. Objects that
 * are passed belong to the client.
 */
export interface ApiClient {
  /** @param subresource `scale`: returns the Scale of the object. The kind names the resource of the object then. */
  get<T extends TypedObject>(kind: ResourceKind<T>, namespace: string, name: string, subresource?: 'scale'): Promise<T>
  /** Returns all objects of a selection, in the order of the server. Without a query, those of all namespaces. */
  list<T extends TypedObject>(kind: ResourceKind<T>, query?: ListQuery): Promise<ObjectList<T>>
  /**
   * Delivers the changes after a resource version, one after the other: the next one waits for the promise that
   * `handle` returns. Resolves when the server ends the watch or the signal aborts. Rejects with 410 if the resource
   * version is too old.
   */
  watch<T extends TypedObject>(
    kind: ResourceKind<T>,
    query: Selection & { readonly resourceVersion: string },
    signal: AbortSignal,
    handle: (change: WatchedChange<T>) => undefined | Promise<void>,
  ): Promise<void>
  /** Creates an object in the namespace of its metadata, and returns it as stored. */
  create<T extends TypedObject>(kind: ResourceKind<T>, object: T): Promise<T>
  /** Replaces an object. Rejects with 409 if the object has another resource version than the stored one. */
  update<T extends TypedObject>(kind: ResourceKind<T>, object: T, subresource?: string): Promise<T>
  /** Patches an object, and returns it as stored. Default type: `merge`. */
  patch<T extends TypedObject>(kind: ResourceKind<T>, name: ObjectName, patch: PatchBody, type?: PatchType): Promise<T>
  /**
   * Server-side apply. The configuration needs no apiVersion, kind and name. Creates a missing object, unless the
   * configuration has a uid or a resource version.
   */
  apply<T extends TypedObject>(kind: ResourceKind<T>, name: ObjectName, configuration: JsonObject, options: ApplyOptions): Promise<T>
  /**
   * Requests the deletion of an object. Resolves when the request has succeeded; finalizers or a grace period may keep
   * the object longer.
   */
  delete(kind: ResourceKind<TypedObject>, namespace: string, name: string, options?: DeletePreconditions): Promise<void>
  /** Creates an object at a subresource of another kind: `binding`, `eviction`. */
  post(kind: ResourceKind<TypedObject>, name: Required<ObjectName>, body: TypedObject): Promise<void>
  /**
   * Returns the kinds of a group whose objects can be listed and patched, in all served versions. The preferred version
   * is first. Empty if the group is not served.
   */
  kindsOf(group: string): Promise<readonly ResourceKind<TypedObject>[]>
}

/** Address and credentials of a server. All certificates and keys are PEM. */
export interface ServerAccess {
  /** `https://127.0.0.1:6443`, without a slash at the end. */
  readonly url: string
  /** Optional. Default: the CAs of the system. */
  readonly certificateAuthority?: string
  /** Optional. Used together with `clientKey`. */
  readonly clientCertificate?: string
  /** Private key of `clientCertificate`. */
  readonly clientKey?: string
  /** Optional. Bearer token. */
  readonly token?: string
  /** Optional. Name that the certificate of the server must have. Default: the host of the URL. */
  readonly tlsServerName?: string
  /** Optional. Whether any certificate of the server is accepted. Default: false. */
  readonly insecureSkipTlsVerify?: boolean
  /** Optional. Also the field manager of writes. Default: `binnacle`. */
  readonly userAgent?: string
}

/** User of a client in the process of its server. */
export interface ClientUser {
  /** Default: `kubernetes-admin`. */
  readonly name?: string
  /** Default: `system:masters` and `system:authenticated`. */
  readonly groups?: readonly string[]
  /** Also the field manager of writes. Default: `binnacle`. */
  readonly userAgent?: string
}

/** `namespace/name`, or the name alone of an object without a namespace, as client-go's MetaNamespaceKeyFunc. */
export const objectKey = ({ metadata: { namespace = '', name = '' } }: TypedObject): string =>
  namespace === '' ? name : `${namespace}/${name}`

/** Returns a configuration with the apiVersion and the kind of a kind, and the name of an object. */
export const appliedConfiguration = (
  kind: ResourceKind<TypedObject>,
  { namespace, name }: Pick<ObjectName, 'namespace' | 'name'>,
  configuration: JsonObject,
): JsonObject => ({
  ...configuration,
  kind: kind.kind,
  apiVersion: apiVersionOf(kind),
  metadata: { ...objectIn(configuration.metadata), name, ...(namespace !== '' && { namespace }) },
})
