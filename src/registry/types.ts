import type { JsonObject, KubeObject } from '../api/meta/object.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition, Subresource } from '../catalog/definition.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import type { HookContext, Reservation, Strategy } from '../catalog/strategy.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { RequestContext } from '../meta/context.ts'
import type { DeclaredObserver } from '../schema/declared-rules.ts'
import type { Storage, StoredObject } from '../storage/storage.ts'
import type { KeySpace } from './keys.ts'
import { objectInTurns } from './ready-object.ts'

/** Result of a write: the stored object, or an object that was not stored (dry run) or is gone (deletion). */
export type RequestResult = { readonly stored: StoredObject } | { readonly object: KubeObject }

/** The object of a result, in turns if it is large. A stored one is shared and must not be changed. */
export const answerObject = (answer: RequestResult): Awaitable<KubeObject> =>
  'stored' in answer ? objectInTurns(answer.stored) : answer.object

/** Resource, name and options of a write, with its request context. */
export interface WriteTarget {
  /** Context of the request: user, signal, deadline, warnings. */
  readonly ctx: RequestContext
  /** Resource in the version of the request. */
  readonly served: ServedResource
  /** Empty for the resource itself. */
  readonly subresource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Empty for a create until its body is decoded, and then if the name is to be generated. */
  readonly name: string
  /** Whether everything but the write itself happens. */
  readonly dryRun: boolean
  /** Field manager: the parameter `fieldManager`, or derived from the user agent. */
  readonly manager: string
  /** CreateOptions, UpdateOptions or DeleteOptions of the request, for admission. */
  readonly options?: JsonObject | undefined
  /** Whether the write is part of a DELETE of a collection: admission gets no name. */
  readonly ofCollection?: boolean
  /** Whether the write is part of another one, which webhooks review. This one is not sent to webhooks. */
  readonly nested?: boolean
  /** Whether the managed fields stay as they are. */
  readonly keepsManagers?: boolean
}

/** Treatment of unknown and repeated fields in a body. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict'

/** Operation of an admission review. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** Attributes of a write for admission. */
export interface AdmissionRequest {
  readonly ctx: RequestContext
  /** Operation, which for a PUT or an apply depends on whether the object exists. */
  readonly operation: Operation
  /** Resource in the version of the request. */
  readonly served: ServedResource
  /** Empty for the resource itself. */
  readonly subresource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Empty for mutating plugins if the name is to be generated, and for the DELETE of a collection. */
  readonly name: string
  /** Whether nothing is written. Plugins must have no side effects then. */
  readonly dryRun: boolean
  /**
   * Members of CreateOptions, UpdateOptions or DeleteOptions, by the operation: a PATCH has those of the create or
   * update that it makes. Omitted if the request sets none.
   */
  readonly options?: JsonObject | undefined
  /** Whether the write is part of another request. It is not sent to webhooks. */
  readonly nested?: boolean | undefined
  /**
   * The new object in the version of hooks (`hookVersion`). Omitted for deletions. Owned by the pipeline: mutating
   * plugins change it in place or replace it.
   */
  readonly object?: KubeObject
  /** The existing object in the version of hooks. Shared: plugins must not change it. Omitted for creations. */
  readonly old?: KubeObject
  /** Receives the reservations of validating plugins. Omitted if nothing is written. */
  readonly held?: ReservationHolder
}

/**
 * Holds the reservations of a write. They are committed after the write succeeds, and rolled back if it fails or is
 * retried.
 */
export interface ReservationHolder {
  /** Adds a reservation, which the write commits or rolls back together with those before it. */
  hold(reservation: Reservation): void
}

/** Admission as the write pipeline calls it. Both functions throw a StatusError if they deny the request. */
export interface AdmissionFunctions {
  /** Returns the object after mutating plugins and webhooks. Undefined for deletions. */
  mutate(request: AdmissionRequest): Promise<KubeObject | undefined>
  /** Runs validating plugins, policies and webhooks. They must not change the object. */
  validate(request: AdmissionRequest): Promise<void>
}

/** Dependencies that all resources of a server share, including the sources of time, ids and randomness. */
export interface RegistryEnvironment {
  /** Source of creation timestamps, ages and times of managed fields. */
  readonly clock: Clock
  /** Prefix of all keys: `/registry`. */
  readonly etcdPrefix: string
  readonly features: Features
  /** A UUID of version 4. */
  newUid(): string
  /** Five characters for generateName. */
  nameSuffix(): string
  readonly admission: AdmissionFunctions
  /** Receives differences between declared rules and `validate`. */
  readonly declared: DeclaredObserver
  /** Throws 403 if the user of a PUT or an apply that would create an object may not create. */
  authorizeCreate(target: WriteTarget): Promise<void>
  /** Returns the storage of a resource, which all its versions share. */
  storageFor(definition: ResourceDefinition): Storage
  /** Returns access to all resources, for hooks that read or write other objects. */
  access(): ResourceAccess
  /**
   * Optional. Called with the resource and the name of each object that was created or updated; the response waits for
   * it.
   */
  readonly afterWrite?: (definition: ResourceDefinition, name: string) => Promise<void> | undefined
}

/** Environment and storage of one resource. */
export interface StoreParts {
  /** Environment of the server. */
  readonly env: RegistryEnvironment
  readonly storage: Storage
  /** Keys of its objects in the store. */
  readonly keys: KeySpace
}

/** Returns the context that the kind's hooks get for a write. */
export const hookContext = (
  { clock, features, access, declared }: RegistryEnvironment,
  { ctx, subresource }: WriteTarget,
): HookContext => ({
  now: clock.now(),
  request: ctx,
  subresource,
  features,
  access,
  declared,
})

/** Strategy of kinds without rules of their own. */
const NO_STRATEGY: Strategy = {}

/**
 * Returns the strategy of a write: the subresource's own, or that of the version, or of the resource. Strategies are
 * not merged.
 */
export const strategyOf = ({ definition, version }: ServedResource, subresource: Subresource | undefined): Strategy =>
  subresource?.strategy ?? version.strategy ?? definition.strategy ?? NO_STRATEGY

/** The resource in errors of requests: its group in the version of the request. */
export const groupResourceOf = (served: ServedResource) => ({ group: served.version.group, resource: served.version.names.plural })
/** The kind in errors of validation: always that of the hub version. */
export const groupKindOf = ({ definition }: ServedResource) => ({ group: definition.hub.group, kind: definition.hub.kind })

/** The subject of an admission request: a write, or a CONNECT request. */
type AdmissionSubject = Pick<
  WriteTarget,
  'ctx' | 'served' | 'subresource' | 'namespace' | 'name' | 'dryRun' | 'options' | 'ofCollection' | 'nested'
>

/** Returns the attributes of a write for admission. All admission requests are made here. */
export const admissionRequest = <Objects extends Pick<AdmissionRequest, 'object' | 'old' | 'held'>>(
  { ctx, served, subresource, namespace, name, dryRun, options, ofCollection, nested }: AdmissionSubject,
  operation: Operation,
  objects: Objects,
): AdmissionRequest & Objects => ({
  ctx,
  operation,
  served,
  subresource,
  namespace,
  name: ofCollection ? '' : name,
  dryRun,
  options,
  nested,
  ...objects,
})
