import { setMaxListeners } from 'node:events'
import { readDescriptions } from '../api/descriptions.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { Aggregator } from '../endpoints/aggregator.ts'
import { type Api, createApi } from '../endpoints/api.ts'
import { streamTranslation } from '../endpoints/connect/stream-translation.ts'
import { createDeprecatedRequests } from '../endpoints/deprecated-requests.ts'
import { Discovery } from '../endpoints/discovery/discovery.ts'
import { OpenApiEndpoint } from '../endpoints/openapi/endpoint.ts'
import { WatchMetrics } from '../endpoints/watch-metrics.ts'
import { zpagePaths } from '../endpoints/zpages/zpage-paths.ts'
import { awaitKind } from '../extensions/await-kind.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { Gates } from '../lifecycle/gates.ts'
import { isSince } from '../lifecycle/release.ts'
import type { Registry } from '../registry/registry.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { Service, ServiceStart } from './service.ts'

/** Dependencies of the API's handlers. */
export interface ApiServiceParts {
  readonly catalog: Catalog
  readonly registry: Registry
  /** Serves the groups of aggregated servers. */
  readonly aggregator: Aggregator
  /** Whether the kinds of all definitions stored at the start are served. */
  readonly areKindsServed: () => boolean
}

/** Request handlers for resources, discovery and OpenAPI. */
export class ApiService implements Service {
  readonly api: Api
  /** Metrics of watches, deprecated APIs and translated streams. */
  readonly metrics: readonly MetricFamily[]
  /** Aborted at shutdown. Ends long-running requests. */
  readonly #shutdown = new AbortController()
  /** Host and port that discovery shows. Empty until the server listens. */
  #address = ''
  readonly #watchMetrics: WatchMetrics
  readonly #deprecatedRequests = createDeprecatedRequests()

  constructor(
    options: Pick<ControlPlaneOptions, 'runtime' | 'release' | 'network' | 'requests' | 'access'>,
    { catalog, registry, aggregator, areKindsServed }: ApiServiceParts,
  ) {
    setMaxListeners(0, this.#shutdown.signal) // one listener per watch
    const { runtime, requests, network } = options
    const { gates } = options.release
    const { authorizer } = options.access
    const deprecatedRequests = this.#deprecatedRequests
    this.#watchMetrics = new WatchMetrics(gates.release)
    const watchMetrics = this.#watchMetrics
    const streams = streamTranslation(gates)
    const env = {
      catalog,
      registry,
      clock: runtime.clock,
      release: gates.release,
      media: requests.media,
      watchList: gates.enabled('WatchList'),
      shards: gates.enabled('ShardedListAndWatch'),
      compressesWatchLists: gates.enabled('WatchListCompression'),
      validatesFields: gates.enabled('ServerSideFieldValidation'),
      deprecatedRequests,
      watchMetrics,
      watchOutput: runtime.watchOutput,
      kubelets: network.kubelets,
      streams,
      minRequestTimeoutSeconds: requests.minTimeoutSeconds,
      ...(gates.enabled('AllowUnsafeMalformedObjectDeletion') && { unsafeDeletion: authorizer.authorize }),
      ...(gates.enabled('AuthorizePodWebsocketUpgradeCreatePermission') && { streamCreation: authorizer.authorize }),
      awaitKind: (group: string, resource: string, signal: AbortSignal) =>
        awaitKind(registry.access(signal), catalog, group, resource, signal),
      areKindsServed,
      shutdown: this.#shutdown.signal,
    }
    this.api = createApi(
      env,
      new Discovery(() => this.#address, aggregatedVersions(gates), aggregator, zpagePaths(gates)),
      new OpenApiEndpoint(readDescriptions, aggregator.openApi),
      aggregator,
    )
    this.metrics = [deprecatedRequests, ...watchMetrics.families(), ...streams.metrics.families()]
  }

  /** Sets the address that discovery shows. */
  async start({ address, port }: ServiceStart): Promise<void> {
    this.#address = `${address}:${port}`
  }

  /** Removes the series of the version, which would stay for ever otherwise. */
  forgetVersion(gone: GoneVersion): void {
    this.#watchMetrics.forget(gone)
    this.#deprecatedRequests.forget(gone.group, gone.version, gone.resource)
  }

  /** Ends watches. Other requests in flight continue. */
  beginShutdown(): void {
    this.#shutdown.abort()
  }
}

/** Versions of apidiscovery.k8s.io that the release serves. v2 was added in 1.30. */
const aggregatedVersions = (gates: Gates): string[] => [
  ...(isSince(gates.release, '1.30') ? ['v2'] : []),
  ...(gates.enabled('AggregatedDiscoveryEndpoint') && !gates.enabled('AggregatedDiscoveryRemoveBetaType') ? ['v2beta1'] : []),
]
