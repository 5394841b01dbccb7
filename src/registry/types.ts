import type { ServedResource } from '../catalog/catalog.ts'
import type { HookContext, Reservation, ResourceAccess, ResourceDefinition, Strategy, Subresource } from '../catalog/definition.ts'
import type { Clock } from '../lib/clock.ts'
import type { Features } from '../lifecycle/gates.ts'
import type { RequestContext } from '../meta/context.ts'
import type { JsonObject, KubeObject } from '../meta/object.ts'
import type { DeclaredObserver } from '../schema/declared-rules.ts'
import type { Storage, StoredObject } from '../storage/storage.ts'
import type { KeySpace } from './keys.ts'

/** What a write answers with: bytes that are ready, or an object that was never stored (dry-run) or is no longer (deletion). */
export type Answer = { readonly stored: StoredObject } | { readonly object: KubeObject }

/** The object of an answer. Shared where it is stored: never mutate it. */
export const answerObject = (answer: Answer): KubeObject => ('stored' in answer ? answer.stored.object() : answer.object)

/** What a write is about, and who asks for it. */
export interface WriteTarget {
  readonly ctx: RequestContext
  readonly served: ServedResource
  /** Empty for the resource itself. */
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
  /** Field manager: as the request names it, or its user agent. */
  readonly manager: string
  /** What the request says of itself, as admission sees it: the members of CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options?: JsonObject | undefined
  /** One of those that a request without a name deletes: admission gets no name either. */
  readonly ofCollection?: boolean
  /** A part of another write, about which those outside of the server are asked: they are not asked of this one. */
  readonly nested?: boolean
}

/** As admission, webhooks and policies name what is done. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'

/** A write as admission sees it, in the version of hooks. */
export interface AdmissionRequest {
  readonly ctx: RequestContext
  readonly operation: Operation
  readonly served: ServedResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
  /** The members of CreateOptions, UpdateOptions or DeleteOptions, whatever the verb: those of a patch are reported as those of what it does. Absent where nothing is said. */
  readonly options?: JsonObject | undefined
  /** Nobody outside of the server is asked: it is a part of another request. */
  readonly nested?: boolean | undefined
  /** In the version of hooks (`hookVersion`), as `old`. Absent for deletions. Owned by the pipeline: mutating plugins change it in place or replace it. */
  readonly object?: KubeObject
  /** Shared: never mutated. Absent for creations. */
  readonly old?: KubeObject
  /** Where validating plugins leave what they have reserved for the write. Absent where nothing will be written. */
  readonly held?: ReservationHolder
}

/** Commits what it is given when the write that it belongs to has been made, and rolls it back where that fails or is decided anew. */
export interface ReservationHolder {
  hold(reservation: Reservation): void
}

/** How admission comes into the write pipeline. Both may throw a StatusError. */
export interface AdmissionFunctions {
  /** The object as plugins and webhooks have made it; undefined of deletions. */
  mutate(request: AdmissionRequest): Promise<KubeObject | undefined>
  validate(request: AdmissionRequest): Promise<void>
}

/** What all resources of a server share. Time, ids and randomness come in by it. */
export interface RegistryEnvironment {
  readonly clock: Clock
  readonly etcdPrefix: string
  readonly features: Features
  /** A UUID of version 4. */
  newUid(): string
  /** Five characters for generateName. */
  nameSuffix(): string
  readonly admission: AdmissionFunctions
  readonly declared: DeclaredObserver
  /** Throws 403 where the user of a PUT or apply that would create may not create. */
  authorizeCreate(target: WriteTarget): Promise<void>
  /** The same storage for all versions of a resource. */
  storageFor(definition: ResourceDefinition): Storage
  access(): ResourceAccess
  /** Optional. Called with the resource and the name of each object that was created or updated; the response waits for it. */
  readonly afterWrite?: (definition: ResourceDefinition, name: string) => Promise<void> | undefined
}

/** What the verbs of a resource work on. */
export interface StoreParts {
  readonly env: RegistryEnvironment
  readonly storage: Storage
  /** Where its objects are in the store. */
  readonly keys: KeySpace
}

/** What hooks know of the write that they are a part of. */
export const hookContext = ({ clock, features, access, declared }: RegistryEnvironment, { ctx, subresource }: WriteTarget): HookContext => ({
  now: clock.now(),
  request: ctx,
  subresource,
  features,
  access,
  declared,
})

const NO_STRATEGY: Strategy = {}

/** A subresource has a strategy of its own, which stands alone; a view of the parent is written by the parent's. */
export const strategyOf = ({ definition, version }: ServedResource, subresource: Subresource | undefined): Strategy =>
  subresource?.strategy ?? version.strategy ?? definition.strategy ?? NO_STRATEGY

/** As errors of requests name it: by the version of the request. */
export const groupResourceOf = (served: ServedResource) => ({ group: served.version.group, resource: served.version.names.plural })
/** As errors of validation name it: by the hub version, whatever the request's. */
export const groupKindOf = ({ definition }: ServedResource) => ({ group: definition.hub.group, kind: definition.hub.kind })

/** Of what admission is asked: a write, or with CONNECT what leaves the server. */
type AdmissionSubject = Pick<WriteTarget, 'ctx' | 'served' | 'subresource' | 'namespace' | 'name' | 'dryRun' | 'options' | 'ofCollection' | 'nested'>

/** The one way to ask admission. */
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
