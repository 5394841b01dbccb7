import type { Catalog, CatalogSnapshot, ServedResource } from '../catalog/catalog.ts'
import type { Subresource } from '../catalog/definition.ts'
import type { MediaOffer } from '../codec/accept-header.ts'
import type { TimerClock } from '../lib/clock.ts'
import type { GaugeFamily } from '../lib/metrics.ts'
import { DEFAULT_RELEASE, isSince, type Release } from '../lifecycle/release.ts'
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

/** Maximum bytes of a request's body. kube-apiserver's MaxRequestBodyBytes. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** Services and settings that the handlers of all verbs use. */
export interface EndpointEnvironment {
  /** Kinds. A request resolves its path against one snapshot. */
  readonly catalog: Catalog
  /** Stores of resources, admission of connections, and reads of other objects. */
  readonly registry: Pick<Registry, 'store' | 'admit' | 'access'>
  /** Clock of timeouts, ages and bookmarks. */
  readonly clock: TimerClock
  /** Optional. Release that is emulated. Default: DEFAULT_RELEASE. */
  readonly release?: Release
  /** Media types of request and response bodies. */
  readonly media: MediaOffer
  /** Minimum duration of a watch without a timeout, in seconds. The server ends it after this to twice this time. */
  readonly minRequestTimeoutSeconds: number
  /** Whether watches may request initial events (the gate WatchList). */
  readonly watchList: boolean
  /** Whether lists and watches may select a shard (the gate ShardedListAndWatch). Defaults to false. */
  readonly shards?: boolean
  /**
   * Whether watches that begin with the current objects are compressed for clients that accept it (the gate
   * WatchListCompression). Defaults to false.
   */
  readonly compressesWatchLists?: boolean
  /**
   * Defaults to true. If false, unknown and repeated fields of bodies are dropped without a warning (the gate
   * ServerSideFieldValidation is off).
   */
  readonly validatesFields?: boolean
  /** Optional. Gauge of the deprecated APIs that were requested. */
  readonly deprecatedRequests?: GaugeFamily
  /** Optional. Metrics of events that watches send. */
  readonly watchMetrics?: WatchMetrics
  /** Frames and backlog limit that all watches share. */
  readonly watchOutput: WatchOutput
  /** Connections to kubelets, for logs, exec and the like. */
  readonly kubelets: Kubelets
  /**
   * Optional. Translates between WebSocket clients and kubelets that speak SPDY. Omitted if streams are proxied
   * unchanged.
   */
  readonly streams?: StreamTranslation
  /** Optional. Authorizes unsafe deletion. Omitted if it is off (the gate AllowUnsafeMalformedObjectDeletion). */
  readonly unsafeDeletion?: Authorizer['authorize']
  /** Optional. Authorizes `create` for a stream into a pod by an upgraded GET. Omitted if `get` suffices. */
  readonly streamCreation?: Authorizer['authorize']
  /**
   * Optional. Waits until a kind whose definition is established is served here. Omitted without custom resource
   * definitions.
   */
  readonly awaitKind?: (group: string, resource: string, signal: AbortSignal) => Promise<void>
  /** Optional. Whether the kinds of all definitions stored at the start are served. Defaults to true. */
  readonly areKindsServed?: () => boolean
  /** Aborted when the server begins to shut down, which ends watches. */
  readonly shutdown: AbortSignal
}

/** Reports whether every kind that was defined at the start is served. */
export const areKindsServed = ({ areKindsServed: are }: Pick<EndpointEnvironment, 'areKindsServed'>): boolean => are?.() ?? true

/** Reports whether requests are handled as in a release or later. */
export const handlesSince = ({ release = DEFAULT_RELEASE }: EndpointEnvironment, since: Release): boolean => isSince(release, since)

/** Empty for a method without a verb, which only proxies accept. */
export type ServedVerb = Verb | ''

/** A request's info with the verb that was authorized. */
export type InfoOf<V extends ServedVerb> = ResourceRequestInfo & { readonly verb: V }

/** A request resolved against the catalog. */
interface Resolved<V extends ServedVerb> {
  /** Snapshot that the path was resolved against. */
  readonly snapshot: CatalogSnapshot
  /** Resource in the version of the path. */
  readonly served: ServedResource
  /** Undefined for the resource itself. */
  readonly subresource: Subresource | undefined
  /** Info of the request, as it was authorized. */
  readonly info: InfoOf<V>
}

/**
 * A request for a resource, resolved against the catalog. Verb and target are copied from the request's info, which was
 * authorized: there is no other way to make a scope. A handler of a verb only accepts the scope of that verb, so it
 * cannot be given another request.
 */
export class Scope<V extends ServedVerb = ServedVerb> {
  readonly exchange: Exchange
  readonly env: EndpointEnvironment
  /** Snapshot that the request uses throughout. */
  readonly snapshot: CatalogSnapshot
  /** Resource in the version of the path. */
  readonly served: ServedResource
  /** Undefined for the resource itself. */
  readonly subresource: Subresource | undefined
  /** Dialect of the resource. A view of it may have another. */
  readonly dialect: Dialect
  readonly verb: V
  /** Name of `subresource`, or empty. */
  readonly subresourceName: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Name of the object in the path. Empty for a collection. */
  readonly name: string
  /** Info of the request, as it was authorized. */
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

/** Reports whether the resource of a scope is namespaced. */
export const isNamespaced = ({ served }: Scope): boolean => served.definition.scope === 'Namespaced'

/** The store methods that each verb may call. */
interface StoreOf {
  readonly get: Pick<ResourceStore, 'get' | 'isCached'>
  readonly list: Pick<ResourceStore, 'list' | 'isCached'>
  readonly watch: Pick<ResourceStore, 'watch' | 'storage'>
  readonly create: Pick<ResourceStore, 'create'>
  readonly update: Pick<ResourceStore, 'update'>
  /** A patch is an update whose change depends on the present object. */
  readonly patch: Pick<ResourceStore, 'update'>
  /** Deletions, also those of objects that cannot be read. */
  readonly delete: Pick<ResourceStore, 'delete' | 'deleteCorrupt'>
  readonly deletecollection: Pick<ResourceStore, 'deleteCollection'>
}

/** Returns the store of the resource, restricted to the methods that the verb may call. */
export const storeOf = <V extends Verb>(scope: Scope<V>): StoreOf[V] => scope.env.registry.store(scope.served)

/** Returns the target of a request. */
export const targetOfScope = (scope: Scope) => ({
  ctx: scope.exchange.ctx,
  served: scope.served,
  subresource: scope.subresourceName,
  namespace: scope.namespace,
  name: scope.name,
})

/** Returns the target of a write with the options that admission and the store need. */
export const writeTarget = (scope: Scope<'create' | 'update' | 'patch'>, options: WriteOptions): WriteTarget => ({
  dryRun: options.dryRun,
  manager: options.manager,
  options: options.stated,
  ...targetOfScope(scope),
})
