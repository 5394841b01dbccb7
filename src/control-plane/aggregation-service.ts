import { randomUUID } from 'node:crypto'
import { configuredAddress } from '../admission/webhooks/service-address.ts'
import type { ResolveService } from '../admission/webhooks/target.ts'
import { objectIn } from '../api/meta/object.ts'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { CertificateMetrics } from '../clients/certificate-metrics.ts'
import { MAX_RESPONSE_BYTES, RESPONSE_TIMEOUT_MS, rejection } from '../clients/http-api-client.ts'
import { parseJsonInSteps } from '../codec/json.ts'
import { type AvailabilityOptions, apiServiceAvailabilityController } from '../controllers/api-service-availability.ts'
import { type Controller, followKept } from '../controllers/controller.ts'
import type { ForeignResources } from '../controllers/foreign-resources.ts'
import type { Aggregator } from '../endpoints/aggregator.ts'
import { BackendClient } from '../extensions/aggregation/backend-client.ts'
import { BackendResources } from '../extensions/aggregation/backend-resources.ts'
import { discoveryCheck } from '../extensions/aggregation/discovery-check.ts'
import { ForeignDiscovery } from '../extensions/aggregation/foreign-discovery.ts'
import { ForeignOpenApiV2 } from '../extensions/aggregation/foreign-open-api-v2.ts'
import { ForeignOpenApiV3 } from '../extensions/aggregation/foreign-open-api-v3.ts'
import { discoveredGroups, type Listing, listedGroups } from '../extensions/aggregation/listed-groups.ts'
import { AvailabilityMetrics } from '../extensions/aggregation/metrics.ts'
import { Registrations } from '../extensions/aggregation/registrations.ts'
import { passOn, type RequestProxyEnvironment } from '../extensions/aggregation/request-proxy.ts'
import { Transports } from '../extensions/aggregation/transports.ts'
import { Via } from '../extensions/aggregation/via.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { runInTurns } from '../lib/steps.ts'
import { serviceUnavailableError } from '../meta/status.ts'
import { API_SERVICES } from '../resources/kinds.ts'
import type { ControlPlaneOptions } from './control-plane-options.ts'
import type { ForeignReader } from './in-process-client.ts'
import { LOCAL_SERVICES } from './local-servers.ts'
import { onceBegun, type ReadinessCheck, type Service, type ServiceStart } from './service.ts'

type AggregationGroups = Pick<ControlPlaneOptions, 'logger' | 'release' | 'network' | 'localServers'>

/** Aggregated group versions: tracks APIServices, proxies requests to their servers, and reports availability. */
export class AggregationService implements Service {
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly aggregator: Aggregator
  /** Sets the Available condition of APIServices. Runs in the leader. */
  readonly availability: Controller
  /** Namespaced resources of aggregated servers, for namespace deletion. */
  readonly foreign: ForeignResources
  /** Reads documents of aggregated servers for clients in the process. */
  readonly read: ForeignReader
  readonly #options: AggregationGroups
  readonly #transports: Transports
  readonly #known: AggregatedState

  constructor(options: AggregationGroups, resolve: ResolveService) {
    this.#options = options
    const { logger, release } = options
    const { aggregation, services, egress } = options.network
    const { client, refusesRedirects } = aggregation
    const via = new Via(randomUUID())
    const certificates = new CertificateMetrics('kube_aggregator')
    this.#transports = new Transports(client, egress.cluster)
    const env: RequestProxyEnvironment = {
      resolve,
      transports: this.#transports,
      via,
      logger,
      sendsUid: release.gates.enabled('RemoteRequestHeaderUID'),
      refusesRedirects,
      certificates,
    }
    const reader = new BackendClient(resolve, this.#transports, via)
    const registrations = new Registrations()
    this.#known = {
      registrations,
      discovery: new ForeignDiscovery(registrations, reader, logger),
      openApiV2: new ForeignOpenApiV2(registrations, reader, logger),
      openApiV3: new ForeignOpenApiV3(registrations, reader, logger),
    }
    this.foreign = new BackendResources(registrations, this.#known.discovery, reader)
    this.read = foreignReader(registrations, reader)
    this.aggregator = aggregatorOver(this.#known, env)
    const metrics = new AvailabilityMetrics()
    const availability: AvailabilityOptions = {
      check: discoveryCheck({ resolve, client, via, dial: egress.cluster }),
      observer: metrics,
      isPlaced: (namespace, name, port) =>
        configuredAddress(services.addresses, namespace, name, port) !== undefined ||
        (options.localServers !== undefined && LOCAL_SERVICES.has(`${namespace}/${name}`)),
    }
    this.availability = apiServiceAvailabilityController(availability)
    this.metrics = [...metrics.families, ...certificates.families]
    this.checks = [
      onceBegun('poststarthook/apiservice-registration-controller', () => registrations.isSynced, 'the APIServices are not loaded yet'),
    ]
    registrations.subscribe(({ name, registration }) => {
      if (!registration?.backend) this.#transports.forget(name)
    })
  }

  /** Follows APIServices, discovery and OpenAPI of their servers, and the files of the client certificate. */
  start({ env }: ServiceStart, signal: AbortSignal): Promise<unknown> {
    const { network, logger } = this.#options
    const { registrations, discovery, openApiV2, openApiV3 } = this.#known
    return Promise.all([
      followKept(env, API_SERVICES, signal, registrations),
      ...[discovery, openApiV2, openApiV3].map(each => each.run(env, signal)),
      network.aggregation.client?.follow(logger, signal),
    ])
  }

  /** Closes connections to aggregated servers. */
  close(): void {
    this.#transports.close()
  }
}

/** Cached state of aggregated servers. */
interface AggregatedState {
  readonly registrations: Registrations
  readonly discovery: ForeignDiscovery
  readonly openApiV2: ForeignOpenApiV2
  readonly openApiV3: ForeignOpenApiV3
}

/** Returns a reader of aggregated servers. Throws 503 if a server is not available. */
const foreignReader =
  (registrations: Registrations, reader: BackendClient): ForeignReader =>
  async (path, user, signal) => {
    const url = new URL(path, 'https://aggregated')
    const registration = registrations.remoteOf(url.pathname)
    if (registration === undefined) return undefined
    if (!registration.isAvailable) throw serviceUnavailableError('the server is currently unable to handle the request')
    const question = {
      path: url.pathname,
      query: url.search.slice(1),
      accept: 'application/json',
      user,
      timeoutMs: RESPONSE_TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    }
    const { status, body } = await reader.ask(registration, question, signal)
    if (status < 200 || status >= 300) throw rejection(status, body)
    return objectIn((await runInTurns(parseJsonInSteps(body))).value)
  }

const listing = (snapshot: CatalogSnapshot, registrations: Registrations, discovery: ForeignDiscovery): Listing => ({
  snapshot,
  registrations: registrations.all(),
  isRemoved: name => registrations.isRemoved(name),
  foreignVersion: name => discovery.of(name),
})

/**
 * Combines the state of aggregated servers into the interface that endpoints use. Undefined lists mean that the local
 * catalog alone determines the response.
 */
const aggregatorOver = ({ registrations, discovery, openApiV2, openApiV3 }: AggregatedState, env: RequestProxyEnvironment): Aggregator => ({
  get generation() {
    return registrations.generation + discovery.generation
  },
  groups: snapshot => (registrations.areAsCatalog ? undefined : listedGroups(listing(snapshot, registrations, discovery))),
  discovered: snapshot => (registrations.areLocal ? undefined : discoveredGroups(listing(snapshot, registrations, discovery))),
  serve(exchange) {
    const registration = registrations.remoteOf(exchange.path)
    return registration?.backend && passOn(env, exchange, registration, registration.backend)
  },
  openApi: {
    get generation() {
      return openApiV2.generation + openApiV3.generation
    },
    v2: () => openApiV2.documents(),
    v2Alone: () => openApiV2.convertible(name => openApiV3.lacks(name)),
    v3: () => openApiV3.paths(),
    serveV3(exchange, path) {
      const registration = openApiV3.registrationOf(path)
      return registration?.backend && passOn(env, exchange, registration, registration.backend)
    },
  },
  passesOn: path => registrations.remoteOf(path) !== undefined,
})
