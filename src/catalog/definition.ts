import type { Embedded, Json, KubeObject, TypedObject } from '../api/meta/object.ts'
import type { Steps } from '../lib/steps.ts'
import type { GateName } from '../lifecycle/feature-gates.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Release } from '../lifecycle/release.ts'
import type { RequestContext } from '../meta/context.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { FieldTerm } from '../meta/field-selector.ts'
import type { LabelRequirement } from '../meta/label-selector.ts'
import type { ResponseStatus } from '../meta/status.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { ConnectSubresource } from './connect.ts'
import type { ResourceAccess } from './resource-access.ts'
import type { Strategy } from './strategy.ts'

/**
 * A resource type: the objects that are stored under one prefix, and the versions in which they are served. A kind is
 * defined as a `KindDefinition` with its own types, which `defineResource` converts for the catalog. `H` is the type of
 * its objects in the hub version, `V` that in other versions.
 */
export interface ResourceDefinition<H extends TypedObject = KubeObject, V extends TypedObject = KubeObject> {
  /** Whether objects belong to namespaces. All versions have the same scope. */
  readonly scope: 'Namespaced' | 'Cluster'
  /** Served versions, preferred first. They may belong to several groups (events). */
  readonly versions: readonly [Version<V, H>, ...Version<V, H>[]]
  /** Optional. Versions that are not served. Objects that are stored in them can still be read. */
  readonly unserved?: readonly Version<V, H>[]
  /** Version in which hooks, admission and the server's own code see objects. It need not be served. */
  readonly hub: Version<V, H>
  /** Unset for resources that are never stored (reviews, bindings, component statuses). */
  readonly storage?: {
    /** Prefix below `--etcd-prefix`: `pods`, `services/specs`, `minions`. */
    readonly prefix: string
    /** Version in which the release stores objects. It need be neither served nor the hub version. */
    readonly version: Version<V, H>
    /**
     * Optional. The field that is selected by most, by its name in selectors and its path in the storage version. Its
     * value is a string, empty if absent.
     */
    readonly indexedBy?: { readonly field: string; readonly path: readonly string[] }
    /** Optional. Selectable fields of stored objects, if they exceed those of the storage version. */
    readonly fields?: Version<V, H>['selectableFields']
    /**
     * Optional. Reports whether the object is stored without a status, which is set by default whenever the object is
     * read.
     */
    readonly defaultsStatus?: (object: H) => boolean
    /** Optional. Whether the object is stored without a default, which reads then set. */
    readonly lacksDefaults?: (object: H) => boolean
  }
  /** Optional. Hooks of writes and deletions. A kind without rules of its own needs none. */
  readonly strategy?: Strategy<H>
  /** Replaces `toHub` and `fromHub` for kinds that a webhook converts. Only the registry's conversion uses it. */
  readonly converter?: RemoteConverter
  /** Serves a resource that is not stored, by verb. */
  readonly virtual?: VirtualResource<H>
  /**
   * Whether the resource is used only by the server's own code. It is stored, but has no path and does not appear in
   * discovery or OpenAPI (`/registry/ranges/…`).
   */
  readonly internal?: boolean
  /** Whether the server itself needs the resource in every release, even if none of its versions is served. */
  readonly neededByServer?: boolean
}

/** A resource type as its kind defines it. */
export type KindDefinition<H extends TypedObject> = ResourceDefinition<H, never>

/** Names in discovery, lower case. */
export interface Names {
  /** Segment of the path: `pods`. */
  readonly plural: string
  /** Name that kubectl accepts in addition to the plural. */
  readonly singular: string
  /** Optional. Abbreviations that kubectl accepts: `po`. */
  readonly shortNames?: readonly string[]
}

/** A version of a kind. `V` is the type of its objects, `H` that in the hub version. */
export interface Version<V extends TypedObject = KubeObject, H extends TypedObject = V> {
  /** Empty for the core group. */
  readonly group: string
  /** Name of the version: `v1`, `v1beta1`. */
  readonly name: string
  /** Kind of the objects. All versions of a resource usually have the same. */
  readonly kind: string
  readonly names: Names
  /** Optional. Sets of resources to which the kind belongs in kubectl: `all`. */
  readonly categories?: readonly string[]
  /** Served verbs. Other requests are rejected with 405. */
  readonly verbs: readonly string[]
  /**
   * Optional. Verbs in discovery, if they differ from the served ones: a kind that is being removed no longer
   * advertises writes.
   */
  readonly advertisedVerbs?: readonly string[]
  /**
   * Optional. First release in which objects cannot be created, because the definition of the custom kind is being
   * deleted.
   */
  readonly noCreatesSince?: Release
  /** Optional. Kind of lists. Defaults to the kind followed by `List`. */
  readonly listKind?: string
  /** Optional. Warning for clients of the version, in addition to that of the release. */
  readonly deprecationWarning?: string
  /** Optional. Replaces the resource's strategy, for kinds with different rules in their versions. */
  readonly strategy?: Strategy<H>
  /** Fields of the kind. Bodies are decoded, defaulted, encoded, merged and described by it. */
  readonly schema: StructSchema
  /** Optional. Schema of the list, if upstream's list has more in OpenAPI than its items. */
  readonly listSchema?: StructSchema
  /**
   * Convert an object that the caller owns to and from the hub version, without loss. The caller sets kind and
   * apiVersion; metadata is the same in all versions. Unset if nothing else differs.
   */
  readonly toHub?: (object: V) => H | Steps<H>
  /** Inverse of `toHub`. */
  readonly fromHub?: (object: H) => TypedObject | Steps<TypedObject>
  /** Sets defaults that markers cannot express, on a decoded object that the caller owns. Idempotent. */
  readonly setDefaults?: (object: V) => void | Steps<void>
  /** Sets defaults that depend on a feature gate. Runs after `setDefaults`. */
  readonly setGatedDefaults?: (object: V, features: Features) => void
  /** Table of objects in this version. Defaults to that of the hub version. */
  readonly table?: TableDefinition<V>
  /** Replaces `table` if releases print the kind differently. Undefined if a release prints it as `table` does. */
  readonly tableIn?: (release: Release) => TableDefinition<V> | undefined
  /**
   * Fields that a selector may name besides metadata.name and metadata.namespace, with functions that return their
   * values.
   */
  readonly selectableFields?: Readonly<Record<string, (object: V) => string>>
  /** Returns the error message for a selector with any other field. */
  readonly unselectable?: (field: string) => string
  /** First release in which a field may be selected by, for fields that were added later. */
  readonly selectableSince?: Readonly<Record<string, Release>>
  /** Field names of this version in selectors, mapped to those of the storage version if they differ. */
  readonly fieldAliases?: Readonly<Record<string, string>>
  /** Optional. Subresources by their name in the path: `status`, `scale`. */
  readonly subresources?: Readonly<Record<string, Subresource<H>>>
}

/** Converts objects of a kind between its versions with a webhook. */
export interface RemoteConverter {
  /**
   * Converts objects to a version, in one call and in order. The objects are shared and not changed; one that has the
   * version already is returned itself. Throws a ConversionError.
   * @param prune Whether members that the version does not declare are removed. Default: true.
   */
  convert(objects: readonly KubeObject[], to: Version, options?: { readonly prune?: boolean }): Promise<readonly KubeObject[]>
}

/** meta.k8s.io TableColumnDefinition. */
export interface TableColumn {
  /** Head of the column, which kubectl prints in upper case. */
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  /** Optional. OpenAPI format that refines the type. `name` marks the column of the object's name. */
  readonly format?: string
  readonly description: string
  /** 0 if the column is always printed, more if only with `-o wide`. */
  readonly priority?: number
}

/** meta.k8s.io TableRowCondition. */
export interface TableRowCondition {
  /** The only type that Kubernetes defines. */
  readonly type: 'Completed'
  readonly status: 'True'
  /** Reason in CamelCase. */
  readonly reason: string
  readonly message: string
}

/** Table of a kind, which `kubectl get` prints (meta.k8s.io Table). */
export interface TableDefinition<T extends TypedObject = KubeObject> {
  /** Columns in the order of the cells. */
  readonly columns: readonly TableColumn[]
  /**
   * Returns one cell per column. `now` is in milliseconds since the epoch and used only for ages, which the server
   * prints. If it is ANY_TIME, ages are left open.
   */
  readonly cells: (object: T, now: number) => Json[]
  /** Optional. `cells` in steps, for large objects and tables of many columns. */
  readonly cellsInSteps?: (object: T, now: number) => Steps<Json[]>
  /** Returns conditions of the row. kubectl can leave out rows that are `Completed`. */
  readonly conditions?: (object: T) => readonly TableRowCondition[] | undefined
  /** Compares rows, if their order differs from that of the list. Each page is sorted separately. */
  readonly order?: (a: T, b: T) => number
}

/**
 * A subresource. `H` is the type of the parent, `S` that of a subresource of another kind, which `defineSubresource`
 * hides.
 */
export interface Subresource<H extends TypedObject = KubeObject, S extends TypedObject = KubeObject> {
  /** Optional. Feature gate without which it is not served. */
  readonly gate?: GateName
  /** Optional. First release that serves it. */
  readonly since?: Release
  /** Optional. First release that no longer serves it. */
  readonly until?: Release
  /** Served verbs. Other requests are rejected with 405. */
  readonly verbs: readonly string[]
  /** Optional. Kind of the subresource, if it is not the parent's (`Scale`, `Eviction`, `TokenRequest`). */
  readonly kind?: {
    readonly group: string
    readonly version: string
    readonly kind: string
    readonly schema: StructSchema
    readonly table?: TableDefinition<S>
    /** Other apiVersions that a body of this kind may have: `policy/v1beta1`. */
    readonly alsoTakes?: readonly string[]
  }
  /**
   * Set for a subresource with the parent's kind (`status`, `finalize`, `resize`, `approval`). It inherits nothing from
   * the parent's strategy.
   */
  readonly strategy?: Strategy<H>
  /** Set for a subresource of another kind that reads and writes the parent (scale). */
  readonly view?: SubresourceView<H, S>
  /** Set for a subresource with its own behaviour (binding, eviction, token). */
  readonly virtual?: VirtualResource<S>
  /** Set for a subresource that connects to another server (log, exec, proxy). */
  readonly connect?: ConnectSubresource
}

/** A projection of the parent to another kind, which can be written back. */
export interface SubresourceView<H extends TypedObject = KubeObject, S extends TypedObject = KubeObject> {
  /** Returns the view that a read shows. */
  readonly get: (parent: H) => TypedObject
  /** Optional. View in the response to a write, if it differs: a version may lack the field that was written. */
  readonly answer?: (parent: H) => TypedObject
  /** Optional. View that a write starts from, if it differs: it may have values that the parent lacks. */
  readonly draft?: (parent: H) => TypedObject
  /**
   * Optional. Whether declarative validation of the view's type runs. Default: since 1.37. Views of custom kinds have
   * none, as upstream.
   */
  readonly declaredRules?: boolean
  /**
   * Returns the parent with the fields of the view, or the errors of the view after `judge` has filtered them. Owns the
   * parent and may change it.
   */
  readonly put: (parent: H, view: S, judge?: (errors: readonly FieldError[]) => readonly FieldError[]) => H | FieldError[]
  /** Paths of fields in managed fields: path in the view → path in the parent. */
  readonly fields: Readonly<Record<string, readonly string[]>>
}

/** A request to a virtual resource. */
export interface VirtualCall<B extends TypedObject = KubeObject> {
  /** Context of the request, with user, signal and warnings. */
  readonly ctx: RequestContext
  /** Verb of the request: `create`, `get`, `list`. */
  readonly verb: string
  /** Empty for cluster-scoped resources, and for lists across all namespaces. */
  readonly namespace: string
  /** Empty for lists, and for creates at a path without a name. */
  readonly name: string
  /** Selectors of a list. Objects that do not match must not be returned. */
  readonly selection?: { readonly labels: readonly LabelRequirement[]; readonly fields: readonly FieldTerm[] }
  /** Decoded and defaulted body of a create. */
  readonly body?: B
  /** Whether nothing may be written. */
  readonly dryRun: boolean
  /** Access to other resources with the permissions of the server itself. */
  readonly api: ResourceAccess
}

/**
 * Response of a virtual resource: an object of its kind, a Status of a success, or a list with code 200, whose items
 * may omit kind and apiVersion.
 */
export type VirtualResult =
  | { readonly code: number; readonly object: TypedObject }
  | { readonly code: number; readonly status: ResponseStatus }
  | { readonly items: readonly Embedded<TypedObject>[] }

/** Handles requests for a resource that is not stored. */
export interface VirtualResource<B extends TypedObject = KubeObject> {
  /** Handles a request. Throws a StatusError. */
  readonly call: (call: VirtualCall<B>) => Promise<VirtualResult>
}
