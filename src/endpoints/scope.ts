import type { Catalog, CatalogSnapshot, ServedResource } from '../catalog/catalog.ts'
import type { Subresource } from '../catalog/definition.ts'
import type { MediaOffer } from '../codec/negotiate.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { GaugeFamily } from '../lib/metrics.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { ResourceRequestInfo, Verb } from '../meta/context.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceStore } from '../registry/resource-store.ts'
import type { WriteTarget } from '../registry/types.ts'
import type { Kubelets } from './connect/ask.ts'
import type { StreamTranslation } from './connect/stream-translation.ts'
import type { Dialect } from './dialect/dialect.ts'
import { dialectOf } from './dialect/dialect-of.ts'
import type { Exchange } from './exchange.ts'
import type { WatchMetrics } from './watch-metrics.ts'
import type { WatchOutput } from './watch-writing.ts'
import type { WriteOptions } from './write-options.ts'

export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** What every verb needs from the composition. */
export interface EndpointEnvironment {
  readonly catalog: Catalog
  readonly registry: Pick<Registry, 'store' | 'admit' | 'access' | 'withDeclared'>
  readonly clock: TimerClock
  /** The media types of bodies and answers. */
  readonly media: MediaOffer
  /** Seconds below which no watch is ended by the server; the end comes between this and twice this. */
  readonly minRequestTimeoutSeconds: number
  /** Watches may ask for initial events (the gate WatchList). */
  readonly watchList: boolean
  /** False: unknown and repeated fields of bodies are dropped, without a warning (the gate ServerSideFieldValidation is off). */
  readonly validatesFields?: boolean
  /** Which deprecated APIs were asked for; absent: nobody wants to know. */
  readonly deprecatedRequests?: GaugeFamily
  /** What watches send; absent: nobody wants to know. */
  readonly watchMetrics?: WatchMetrics
  /** What watches share. */
  readonly watchOutput: WatchOutput
  /** For what reaches nodes: logs, exec, proxies. */
  readonly kubelets: Kubelets
  /** What is done for clients that speak over WebSockets with kubelets; absent: nothing, as what they say passes as it is. */
  readonly streams?: StreamTranslation
  /** Asks whether the user may; absent: unsafe deletion is off (the gate AllowUnsafeMalformedObjectDeletion). */
  readonly unsafeDeletion?: Authorizer['authorize']
  /** Whether a user may open a stream into a pod by an upgraded GET, which needs the right to create one as well. Absent: the right to get suffices. */
  readonly streamCreation?: Authorizer['authorize']
  /** Waits until a kind whose definition is established is served here; absent: there are no definitions. */
  readonly awaitKind?: (group: string, resource: string, signal: AbortSignal) => Promise<void>
  /** Aborted when the server begins to shut down: watches end then. */
  readonly shutdown: AbortSignal
}

/** Empty: of a method without a verb, which proxies pass on. */
export type ServedVerb = Verb | ''

/** A request's info with the verb that it was authorized for. */
export type InfoOf<V extends ServedVerb> = ResourceRequestInfo & { readonly verb: V }

/** What the catalog says of a request. */
interface Resolved<V extends ServedVerb> {
  readonly snapshot: CatalogSnapshot
  readonly served: ServedResource
  readonly subresource: Subresource | undefined
  readonly info: InfoOf<V>
}

/**
 * One request for a resource, resolved against the catalog. Everything that says what is done, and to what, is copied from the request's info, which the authorizer was asked about: there is
 * no other way to make one. A handler of one verb takes the scope of that verb alone, so it cannot be given another request.
 */
export class Scope<V extends ServedVerb = ServedVerb> {
  readonly exchange: Exchange
  readonly env: EndpointEnvironment
  readonly snapshot: CatalogSnapshot
  readonly served: ServedResource
  readonly subresource: Subresource | undefined
  /** Of the resource; a view of it may have another. */
  readonly dialect: Dialect
  readonly verb: V
  /** Empty, or the name of `subresource`. */
  readonly subresourceName: string
  /** Empty for what has no namespace. */
  readonly namespace: string
  /** Of the object that the path names; empty for a collection. */
  readonly name: string
  readonly info: InfoOf<V>

  constructor(exchange: Exchange, env: EndpointEnvironment, { snapshot, served, subresource, info }: Resolved<V>) {
    this.exchange = exchange
    this.env = env
    this.snapshot = snapshot
    this.served = served
    this.dialect = dialectOf(served.version.schema)
    this.subresource = subresource
    this.info = info
    this.verb = info.verb
    this.subresourceName = info.subresource
    this.namespace = served.definition.scope === 'Namespaced' ? info.namespace : ''
    this.name = info.namesObject ? info.name : ''
  }
}

export const isNamespaced = ({ served }: Scope): boolean => served.definition.scope === 'Namespaced'

/** What of a resource's store each verb may use. */
interface StoreOf {
  readonly get: Pick<ResourceStore, 'get' | 'isCached'>
  readonly list: Pick<ResourceStore, 'list' | 'isCached'>
  readonly watch: Pick<ResourceStore, 'watch' | 'storage'>
  readonly create: Pick<ResourceStore, 'create'>
  readonly update: Pick<ResourceStore, 'update'>
  readonly patch: Pick<ResourceStore, 'update'>
  readonly delete: Pick<ResourceStore, 'delete' | 'deleteCorrupt'>
  readonly deletecollection: Pick<ResourceStore, 'deleteCollection'>
}

export const storeOf = <V extends Verb>(scope: Scope<V>): StoreOf[V] => scope.env.registry.store(scope.served)

/** What a request is about. */
export const subjectOf = (scope: Scope) => ({
  ctx: scope.exchange.ctx,
  served: scope.served,
  subresource: scope.subresourceName,
  namespace: scope.namespace,
  name: scope.name,
})

export const writeTarget = (scope: Scope<'create' | 'update' | 'patch'>, options: WriteOptions): WriteTarget => ({
  ...subjectOf(scope),
  dryRun: options.dryRun,
  manager: options.manager,
  options: options.stated,
})
