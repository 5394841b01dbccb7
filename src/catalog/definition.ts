import type { Steps } from '../lib/steps.ts'
import type { GateName } from '../lifecycle/feature-gates.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { Release } from '../lifecycle/release.ts'
import type { RequestContext } from '../meta/context.ts'
import type { FieldError } from '../meta/field-error.ts'
import type { FieldTerm } from '../meta/field-selector.ts'
import type { GroupVersion } from '../meta/gvk.ts'
import type { LabelRequirement } from '../meta/label-selector.ts'
import type { Embedded, Json, KubeObject, TypedObject } from '../meta/object.ts'
import type { AnsweredStatus } from '../meta/status.ts'
import type { DeclaredObserver } from '../schema/declared-rules.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { ConnectSubresource } from './connect.ts'

/**
 * A resource type: what is stored under one prefix, and the versions in which it is served. A kind writes it as a `KindDefinition` of its own types, and `defineResource` makes of it what the
 * catalog holds. `H` is the type of its objects in the hub version, `V` that in other versions.
 */
export interface ResourceDefinition<H extends TypedObject = KubeObject, V extends TypedObject = KubeObject> {
  readonly scope: 'Namespaced' | 'Cluster'
  /** Those that are served, preferred first. They may be of several groups (events). */
  readonly versions: readonly [Version<V, H>, ...Version<V, H>[]]
  /** Versions that are not served: what is stored in them can be read all the same. */
  readonly unserved?: readonly Version<V, H>[]
  /** The version in which hooks, admission and code of the server see objects. Need not be served. */
  readonly hub: Version<V, H>
  /** Absent for resources that are never stored (reviews, bindings, component statuses). */
  readonly storage?: {
    /** Below `--etcd-prefix`: `pods`, `services/specs`, `minions`. */
    readonly prefix: string
    /** In which the release stores it: need be neither served nor the hub version. */
    readonly version: Version<V, H>
    /** A field whose selectors are asked for most, by its name in selectors and its path in that version: a text, which is empty where it is absent. */
    readonly indexedBy?: { readonly field: string; readonly path: readonly string[] }
    /** What field selectors see of what is stored, where that is more than the stored version itself may be selected by. */
    readonly fields?: Version<V, H>['selectableFields']
    /** Optional. Whether the object is stored without a status, which has a default whenever the object is read. */
    readonly defaultsStatus?: (object: H) => boolean
  }
  readonly strategy?: Strategy<H>
  /** In place of `toHub` and `fromHub`: a webhook converts. The registry has a conversion of its own for such kinds; no other code asks for this member. */
  readonly converter?: RemoteConverter
  /** Serves resources that are not stored, by verb. */
  readonly virtual?: VirtualResource<H>
  /** Stored, and reached by code of the server only: it has no path, and stands in no discovery or OpenAPI (`/registry/ranges/…`). */
  readonly internal?: boolean
  /** The server itself reads and writes it in every release, also while none of its versions is served. */
  readonly neededByServer?: boolean
}

/** A resource type as its kind writes it, in any versions. */
export type KindDefinition<H extends TypedObject> = ResourceDefinition<H, never>

/** As discovery lists them, lower case. */
export interface Names {
  readonly plural: string
  readonly singular: string
  readonly shortNames?: readonly string[]
}

/** A version of a kind; `V` is the type of its objects, `H` that in the hub version. */
export interface Version<V extends TypedObject = KubeObject, H extends TypedObject = V> {
  readonly group: string
  readonly name: string
  readonly kind: string
  readonly names: Names
  readonly categories?: readonly string[]
  readonly verbs: readonly string[]
  /** What discovery lists instead of the verbs that are served: a kind that is going away takes no more objects. */
  readonly advertisedVerbs?: readonly string[]
  /** Of lists; the kind with `List` unless given. */
  readonly listKind?: string
  /** The warning for users of the version, besides what the release says. */
  readonly deprecationWarning?: string
  /** In place of the resource's own: for kinds whose versions have rules of their own. */
  readonly strategy?: Strategy<H>
  readonly schema: StructSchema
  /** Of the list, where upstream's list says more in OpenAPI than that it has items. */
  readonly listSchema?: StructSchema
  /**
   * To and from the hub version, on an object that the caller hands over; kind and apiVersion are set by the caller, metadata is the same in all versions. Absent where only they
   * differ. Nothing may be lost on the way there and back.
   */
  readonly toHub?: (object: V) => H | Steps<H>
  readonly fromHub?: (object: H) => TypedObject | Steps<TypedObject>
  /** Fills in what markers cannot say, on a decoded object that the caller owns. Idempotent. */
  readonly setDefaults?: (object: V) => void | Steps<void>
  /** The same for fields that have a default only while their feature gate is on. Runs after `setDefaults`. */
  readonly setGatedDefaults?: (object: V, features: Features) => void
  /** Of objects in this version. A version without one is printed by that of the hub version, if there is one. */
  readonly table?: TableDefinition<V>
  /** In place of `table`, where releases print the kind differently. */
  readonly tableIn?: (release: Release) => TableDefinition<V>
  /** What a field selector may name beside metadata.name and metadata.namespace; the value as the selector sees it. */
  readonly selectableFields?: Readonly<Record<string, (object: V) => string>>
  /** What is said of a selector by any other field. */
  readonly unselectable?: (field: string) => string
  /** The releases since which a field may be selected by, of those that came later. */
  readonly selectableSince?: Readonly<Record<string, Release>>
  /** What a field selector of this version may name instead, where the storage version names its fields otherwise: its name here → its name there. */
  readonly fieldAliases?: Readonly<Record<string, string>>
  readonly subresources?: Readonly<Record<string, Subresource<H>>>
}

/** Converts objects of a kind between its versions outside of this process, by a webhook. */
export interface RemoteConverter {
  /**
   * The objects, which are shared and stay as they are, in the version and in their order, all in one call; one that is of the version already is given back itself. Throws a
   * ConversionError.
   */
  convert(objects: readonly KubeObject[], to: Version): Promise<readonly KubeObject[]>
}

/** meta.k8s.io TableColumnDefinition. */
export interface TableColumn {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date'
  readonly format?: string
  readonly description: string
  /** 0: always printed; above: with `-o wide`. */
  readonly priority?: number
}

/** meta.k8s.io TableRowCondition. */
export interface TableRowCondition {
  readonly type: 'Completed'
  readonly status: 'True'
  readonly reason: string
  readonly message: string
}

/** How `kubectl get` prints a kind (meta.k8s.io Table). */
export interface TableDefinition<T extends TypedObject = KubeObject> {
  readonly columns: readonly TableColumn[]
  /** One cell a column. `now` in milliseconds: ages are printed by the server, and nothing else goes by it. ANY_TIME: they are left open. */
  readonly cells: (object: T, now: number) => Json[]
  /** Conditions of the row itself: kubectl leaves out what is `Completed` where it is asked to. */
  readonly conditions?: (object: T) => readonly TableRowCondition[] | undefined
  /** Rows of a list stand in this order, where it is another than that of the list; each page by itself. */
  readonly order?: (a: T, b: T) => number
}

/** `H` is the type of the parent, `S` that of a subresource of another kind, which `defineSubresource` leaves open. */
export interface Subresource<H extends TypedObject = KubeObject, S extends TypedObject = KubeObject> {
  /** Served only while the feature gate is on. */
  readonly gate?: GateName
  /** The first release that serves it. */
  readonly since?: Release
  /** The first release that does not serve it any more. */
  readonly until?: Release
  readonly verbs: readonly string[]
  /** Of another kind than the parent (`Scale`, `Eviction`, `TokenRequest`); otherwise the parent's own. */
  readonly kind?: {
    readonly group: string
    readonly version: string
    readonly kind: string
    readonly schema: StructSchema
    readonly table?: TableDefinition<S>
    /** Other apiVersions in which a body may call itself this kind: `policy/v1beta1`. */
    readonly alsoTakes?: readonly string[]
  }
  /** For a subresource of the parent's kind (`status`, `finalize`, `resize`, `approval`). It stands alone: nothing of the parent's strategy holds for it. */
  readonly strategy?: Strategy<H>
  /** For a subresource of another kind that reads and writes the parent (scale). */
  readonly view?: SubresourceView<H, S>
  /** For anything else (binding, eviction, token). */
  readonly virtual?: VirtualResource<S>
  /** For what reaches out of the server (log, exec, proxy). */
  readonly connect?: ConnectSubresource
}

/** A projection of the parent as another kind, which can be written back. */
export interface SubresourceView<H extends TypedObject = KubeObject, S extends TypedObject = KubeObject> {
  readonly get: (parent: H) => TypedObject
  /** The view that a write is answered with, where that differs: a version may not have the field that was written. */
  readonly answer?: (parent: H) => TypedObject
  /** The view that a write begins with, where that differs: a parent that lacks what is seen may be given it. */
  readonly draft?: (parent: H) => TypedObject
  /** Whether rules that stand beside the fields of the view's type are run, too. */
  readonly declaredRules?: boolean
  /** The parent with the view's fields put in, or the view's errors, of which `judge` has the last word. The parent may be mutated: the caller owns it. */
  readonly put: (parent: H, view: S, judge?: (errors: readonly FieldError[]) => readonly FieldError[]) => H | FieldError[]
  /** The view's own path of the fields for managed fields: path in the view → path in the parent. */
  readonly fields: Readonly<Record<string, readonly string[]>>
}

/** What a virtual resource may do besides reading its own request. */
export interface VirtualCall<B extends TypedObject = KubeObject> {
  readonly ctx: RequestContext
  readonly verb: string
  readonly namespace: string
  readonly name: string
  /** What a list selects: nothing else may be shown. */
  readonly selection?: { readonly labels: readonly LabelRequirement[]; readonly fields: readonly FieldTerm[] }
  /** The decoded and defaulted body of a create. */
  readonly body?: B
  readonly dryRun: boolean
  /** Reads and writes other resources as the server itself. */
  readonly api: ResourceAccess
}

/** What a virtual resource answers with: an object of its kind, a Status of a success, or with 200 a list, whose items need not say what they are. */
export type VirtualAnswer =
  | { readonly code: number; readonly object: TypedObject }
  | { readonly code: number; readonly status: AnsweredStatus }
  | { readonly items: readonly Embedded<TypedObject>[] }

export interface VirtualResource<B extends TypedObject = KubeObject> {
  /** Throws a StatusError. */
  readonly call: (call: VirtualCall<B>) => Promise<VirtualAnswer>
}

/** In-process access to any resource, past authentication and authorization, through the registry (defaults, validation and conflicts apply). */
export interface ResourceAccess {
  /** The resource of a kind, in the version in which it is served now. */
  resourceOf(version: GroupVersion, kind: string): ResourceId | undefined
  get(gr: ResourceId, namespace: string, name: string, options?: { resourceVersion?: string }): Promise<KubeObject>
  list(gr: ResourceId, namespace: string, options?: ListAccess): Promise<{ items: KubeObject[]; resourceVersion: string }>
  create(gr: ResourceId, namespace: string, object: KubeObject): Promise<KubeObject>
  /** Reads, changes, writes, and runs `change` again on a conflict. `change` gets a copy of its own; undefined leaves the object as it is. */
  update(
    gr: ResourceId,
    namespace: string,
    name: string,
    change: (object: KubeObject) => KubeObject | undefined,
    options?: { subresource?: string },
  ): Promise<KubeObject>
  delete(
    gr: ResourceId,
    namespace: string,
    name: string,
    options?: { uid?: string; resourceVersion?: string; propagationPolicy?: string; gracePeriodSeconds?: number; dryRun?: boolean },
  ): Promise<void>
  /**
   * Gives `handle` the events of a resource from its present state on: first `added` for what is there, then changes. The next one comes when the promise that it returns, if any, resolves. Resolves
   * when the watch has ended, as it does with the signal; rejects with what ended it, or with what `handle` throws. `name`: only of objects of this name. `metadataOnly`: of the objects only the
   * metadata without its managers is asked for, which costs less.
   */
  watch(
    gr: ResourceId,
    namespace: string,
    signal: AbortSignal,
    handle: (event: AccessEvent) => undefined | Promise<void>,
    options?: { name?: string; metadataOnly?: boolean },
  ): Promise<void>
}

/** A resource in whichever version. */
export interface ResourceId {
  readonly group: string
  /** Plural. */
  readonly resource: string
}

/** What a list of the server itself selects. */
export interface ListAccess {
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** '0' reads the watch cache as it stands. */
  readonly resourceVersion?: string
}

/** One event of a watch of the server itself. */
export interface AccessEvent<T extends TypedObject = KubeObject> {
  readonly type: 'added' | 'modified' | 'deleted' | 'synced'
  /** Shared: never mutate. Absent for `synced`. */
  readonly object?: T
}

/** Passed to hooks. Hooks are pure but for `begin`, and those that ask who may do something. */
export interface HookContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The request's context, where a client made it; controllers have none. */
  readonly request?: RequestContext
  readonly subresource: string
  readonly features: Features
  /** Other objects, as the server itself may read them. */
  readonly access: () => ResourceAccess
  readonly declared: DeclaredObserver
}

/**
 * What is peculiar about a kind. Every hook is optional, and sees objects in the hub version, decoded and defaulted. Hooks that change an object get one
 * they own and may mutate it; `old` is shared with readers and never mutated.
 */
export interface Strategy<T extends TypedObject = KubeObject> {
  /** PUT on a name that does not exist creates it (Lease, Endpoints, Event …). */
  readonly allowCreateOnUpdate?: boolean
  /** PUT without a resourceVersion overwrites. Default true. */
  readonly allowUnconditionalUpdate?: boolean
  /** Throws a StatusError where this user may not write this object, although the request as such is allowed. After mutating admission, and before `prepare`. */
  readonly authorize?: (next: T, old: T | undefined, ctx: HookContext) => Promise<void>
  /** Sets what the server decides: clears status on create, keeps it on update, bumps generation … `old` is undefined on create. */
  readonly prepare?: (next: T, old: T | undefined, ctx: HookContext) => void
  /**
   * All errors that upstream's validation would give, in its order; in steps where one object may take long to judge. ObjectMeta is checked by the registry with `validateName`.
   */
  readonly validate?: (next: T, old: T | undefined, ctx: HookContext) => FieldError[] | Steps<FieldError[]>
  /** Throws a StatusError where the object may not be deleted. Runs before preconditions and admission. */
  readonly validateDelete?: (old: T) => void
  /** What schemas and rules that are programs say of the object, which may take many turns. Runs after `validate`, and is given all that is known to be wrong by then. */
  readonly evaluate?: (next: T, old: T | undefined, ctx: HookContext, errors: readonly FieldError[]) => Promise<FieldError[]>
  /** Whether rules that stand beside the fields of the type are run, too. Default: not for a subresource. */
  readonly declaredRules?: boolean
  /**
   * How the kind's own update validation judges the metadata, in its order, after the registry has: `whole` is what a new object is judged by, `change` what may have changed. Each reports
   * the same fault once more. Default: `change` once.
   */
  readonly metaRounds?: readonly ('whole' | 'change')[]
  /** Finalizers need not have a domain: the kind judges its metadata by the generic rules, not by those of the core group. */
  readonly plainFinalizers?: boolean
  /** The kind's own rules leave the metadata of a new object alone, which is judged where they find nothing. */
  readonly judgesMetaLast?: boolean
  /** Texts that are wrong with the name; default: DNS subdomain. `prefix`: the name is a generateName. */
  readonly validateName?: (name: string, prefix: boolean, features: Features) => string[]
  /** Runs after validation, before the response and the write's last comparison (drop of fields, normalisation). */
  readonly canonicalize?: (next: T) => void
  /** Sets the defaults that decoding would add to the stored object, in an update or a dry run. Runs after validating admission, which sees the object without them. */
  readonly defaultStored?: (next: T) => void
  readonly warnings?: (next: T, old: T | undefined, ctx: HookContext) => string[]
  /** Reservations in other keys. Called before the write; `commit` after it has succeeded, `rollback` when it failed, is retried or is a dry-run. May change `next`. */
  readonly begin?: (next: T | undefined, old: T | undefined, ctx: HookContext, api: ResourceAccess, dryRun: boolean) => Promise<Reservation>
  /** Seconds a new object lives, by lease (events). */
  readonly ttlSeconds?: (object: T) => number | undefined
  /**
   * Graceful deletion: seconds to wait for another program to finish (pods on a node), 0 to remove it in a second write, undefined where the kind knows no grace period.
   * `requested` is DeleteOptions.gracePeriodSeconds.
   */
  readonly gracePeriod?: (object: T, requested: number | undefined, ctx: HookContext) => number | undefined
  /** What keeps an object with no finalizers from being removed (namespaces: spec.finalizers). */
  readonly holdsDeletion?: (object: T) => boolean
  /** Marks an object whose deletion has begun (namespaces: phase Terminating). */
  readonly markDeleting?: (object: T) => void
  /** DELETE answers with the object as it was, not with a Status (services, pods, claims …). */
  readonly returnsDeleted?: boolean
  /** `background` unless the kind says otherwise. `none`: what a DELETE says of dependents is not looked at. */
  readonly defaultPropagation?: 'orphan' | 'background' | 'none'
  /** The kind compares the preconditions of a DELETE itself, and so in the words of storage. */
  readonly ownPreconditions?: boolean
  /** The warning of a DELETE that does not say what becomes of dependents, for kinds that leave them behind by default. */
  readonly orphanWarning?: string
  /** Paths a write through this (sub)resource may not own: `[['status']]`. */
  readonly resetFields?: readonly (readonly string[])[]
}

/** What a write has taken elsewhere: committed after it, or rolled back. */
export interface Reservation {
  commit(): Promise<void>
  rollback(): Promise<void>
}
