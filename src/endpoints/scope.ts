import type { Catalog, CatalogSnapshot, ServedResource } from '../catalog/catalog.ts'
import type { Subresource } from '../catalog/definition.ts'
import type { MediaOffer } from '../codec/negotiate.ts'
import type { Clock } from '../lib/clock.ts'
import type { GaugeFamily } from '../lib/metrics.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceStore } from '../registry/resource-store.ts'
import type { WriteTarget } from '../registry/types.ts'
import type { Kubelets } from './connect/ask.ts'
import type { Exchange } from './exchange.ts'
import type { WatchMetrics } from './watch-metrics.ts'
import type { WriteOptions } from './write-options.ts'

export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** What every verb needs from the composition. */
export interface EndpointEnvironment {
  readonly catalog: Catalog
  readonly registry: Registry
  readonly clock: Clock
  /** The media types of bodies and answers. */
  readonly media: MediaOffer
  /** Seconds below which no watch is ended by the server; the end comes between this and twice this. */
  readonly minRequestTimeoutSeconds: number
  /** Watches may ask for initial events (the gate WatchList). */
  readonly watchList: boolean
  /** Which deprecated APIs were asked for; absent: nobody wants to know. */
  readonly deprecatedRequests?: GaugeFamily
  /** What watches send; absent: nobody wants to know. */
  readonly watchMetrics?: WatchMetrics
  /** For what reaches nodes: logs, exec, proxies. */
  readonly kubelets: Kubelets
  /** Asks whether the user may; absent: unsafe deletion is off (the gate AllowUnsafeMalformedObjectDeletion). */
  readonly unsafeDeletion?: Authorizer['authorize']
  /** Waits until a kind that other servers serve is served here, too; absent: there are none. */
  readonly awaitKind?: (group: string, resource: string, signal: AbortSignal) => Promise<void>
  /** Aborted when the server begins to shut down: watches end then. */
  readonly shutdown: AbortSignal
}

/** One request for a resource, resolved against the catalog. */
export interface Scope {
  readonly exchange: Exchange
  readonly env: EndpointEnvironment
  readonly snapshot: CatalogSnapshot
  readonly served: ServedResource
  /** Empty, or the name of `subresource`. */
  readonly subresourceName: string
  readonly subresource: Subresource | undefined
  readonly namespace: string
  readonly name: string
}

export const isNamespaced = ({ served }: Scope): boolean => served.definition.scope === 'Namespaced'

export const storeOf = (scope: Scope): ResourceStore => scope.env.registry.store(scope.served)

export const writeTarget = (scope: Scope, options: WriteOptions): WriteTarget => ({
  ctx: scope.exchange.ctx,
  served: scope.served,
  subresource: scope.subresourceName,
  namespace: scope.namespace,
  name: scope.name,
  dryRun: options.dryRun,
  manager: options.manager,
  ...(options.stated && { options: options.stated }),
})
