import { setMaxListeners } from 'node:events'
import { forbidden } from '../auth/authz/forbidden.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { type GoneVersion, GoneVersions } from '../catalog/gone-versions.ts'
import type { ResourceAccess } from '../catalog/resource-access.ts'
import type { ApiClient } from '../clients/api-client.ts'
import { callsInTurn } from '../controllers/calls-in-turn.ts'
import type { ControllerEnvironment } from '../controllers/controller.ts'
import { WorkQueues } from '../controllers/work-queues.ts'
import type { Api } from '../endpoints/api.ts'
import { hasRoute } from '../endpoints/filters/resolve-scope.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { Faults } from '../faults/strike.ts'
import type { FlowLimits } from '../flow/flow-limits.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { allows } from '../meta/authorizer.ts'
import type { ResourceRequestInfo } from '../meta/context.ts'
import { DeclaredValidationMetrics } from '../registry/declared-metrics.ts'
import { Registry } from '../registry/registry.ts'
import { RegistryReader } from '../registry/registry-reader.ts'
import type { WriteTarget } from '../registry/types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources/kinds.ts'
import type { DeclaredObserver } from '../schema/declared-rules.ts'
import { AdmissionService, type AdmissionServiceParts } from './admission-service.ts'
import { AggregationService } from './aggregation-service.ts'
import { ApiService } from './api-service.ts'
import { backgroundClient } from './background-client.ts'
import { BootstrapService } from './bootstrap-service.ts'
import { builtInKinds } from './built-in-kinds.ts'
import { faultsOf } from './carried-out-faults.ts'
import { clientsInTurn } from './clients-in-turn.ts'
import { ConsoleService } from './console-service.ts'
import type { AccessOptions, ControlPlaneOptions } from './control-plane-options.ts'
import { ControllerService, type ControllerServiceParts } from './controller-service.ts'
import { DefinitionService } from './definition-service.ts'
import { FaultService } from './fault-service.ts'
import { FlowService } from './flow-service.ts'
import { HistoryService } from './history-service.ts'
import { type ClientEnds, type ClientIdentity, InProcessClient, type InProcessClientParts } from './in-process-client.ts'
import type { LocalServers } from './local-servers.ts'
import { nameSuffix } from './name-suffix.ts'
import { NodeService } from './node-service.ts'
import type { Origin } from './origin.ts'
import { RoleService } from './role-service.ts'
import type { ReadinessCheck, Service, ServiceStart, StartOptions } from './service.ts'
import { serviceResolver } from './service-resolver.ts'
import { SnapshotService } from './snapshot-service.ts'
import { StoreService } from './store-service.ts'
import { StoredReader } from './stored-reader.ts'
import { TrustService } from './trust-service.ts'
import { WhyService } from './why-service.ts'

/** Everything between the HTTP server and the store. */
export interface ControlPlane {
  readonly api: Api
  /** Whether the request has a route. */
  isServed(info: ResourceRequestInfo): boolean
  /** Calls `gone` for each version of a kind that is no longer served. */
  followGone(gone: (version: GoneVersion) => void): void
  /** Metrics of all services. */
  readonly metrics: readonly MetricFamily[]
  /** Readiness checks of all services. */
  readonly checks: readonly ReadinessCheck[]
  /** Endpoints of services beside the API. */
  readonly routes: readonly OwnRoute[]
  /** Reads and writes of objects, for the server's own code. */
  readonly registry: Registry
  /** Reads of the store by key. */
  readonly stored: StoredReader
  /** API Priority and Fairness. Undefined if it is off. */
  readonly flowLimits: FlowLimits | undefined
  /** Injected faults. Undefined if there are none. */
  readonly faults: Faults | undefined
  /** Returns a client in the process, whose requests end when the control plane is closed. */
  clientOf(identity: ClientIdentity): ApiClient
  /** Returns the latest revision of the store. */
  revision(): Promise<number>
  /** Resolves once every resource can be read from memory. */
  synced(signal: AbortSignal): Promise<void>
  /**
   * Returns the state for a control plane on a copy of the store that is made at the same moment. Undefined until this
   * one has started. Takes constant time per resource.
   */
  origin(): Origin | undefined
  /**
   * Loads admission webhooks and policies from files. Call it before the server listens. Rejects with
   * AdmissionConfigError if one is invalid.
   */
  loadManifests(): Promise<void>
  /** Creates the bootstrap objects and starts the controllers. Call it when the server listens. */
  start(options: StartOptions): void
  /** Ends watches. Other requests in flight continue. */
  beginShutdown(): void
  /** Ends watches and loops, waits for them, and closes the store. */
  close(): Promise<void>
}

/**
 * Creates the services of one server in dependency order. Reads and writes are served immediately; background work
 * starts with `start`. Several control planes in one process share no state.
 */
export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  const ended = controllerOfManyListeners()
  const kinds = builtInKinds(options)
  const { catalog } = kinds
  const stores = new StoreService(options, kinds.definitions, ended.signal)
  const reader = new RegistryReader(catalog, { etcdPrefix: options.storage.etcdPrefix, storageFor: stores.storageFor.bind(stores) })
  const resolveService = serviceResolver(options.network.services, reader, () => local)
  const admission: AdmissionService = openAdmission(options, { catalog, reader, resolveService }, () => registry)
  const declared = new DeclaredValidationMetrics(options.logger)
  const registry: Registry = openRegistry(options, { catalog, stores, admission, declared, definitions: () => definitions })
  const read: InProcessClientParts['foreign'] = (...request) => aggregation.read(...request)
  const { local, faults, ...loops } = loopAccess(options, { registry, catalog, foreign: read }, ended.signal)
  const aggregation = new AggregationService(options, resolveService)
  const api = new ApiService(withLocalServers(options, local), {
    catalog,
    registry,
    aggregator: aggregation.aggregator,
    areKindsServed: () => definitions.isSynced,
  })
  const definitions = new DefinitionService(options, { kinds, stores, webhooks: admission.webhooks }, ended.signal)
  const bootstrap = new BootstrapService(options, { catalog, stores, allServed: definitions.synced }, ended.signal)
  const roles = new RoleService(options, bootstrap.made)
  const trust = new TrustService(options.access.trust, options.release.gates, bootstrap.made)
  const nodes = new NodeService(options.access.nodeGraph, catalog)
  const queues = options.runtime.queues ?? new WorkQueues()
  const controllers = new ControllerService(options, {
    catalog,
    queues,
    hasPolicies: () => admission.hasPolicies(),
    reservations: admission.reservations,
    listStored: (id, namespace) => reader.listStored(id, namespace, ended.signal, true),
    availability: aggregation.availability,
    foreign: aggregation.foreign,
    ...loops,
  })
  const { totalSeats } = options.requests
  const flows = totalSeats === undefined ? undefined : new FlowService(options, totalSeats, { catalog, stores })
  const always: Service[] = [stores, admission, aggregation, api, bootstrap, definitions, roles, trust, nodes, controllers]
  const services: readonly Service[] = [...always, ...optionalServices(options, { catalog, registry, stores, local, flows })]
  const running: Promise<unknown>[] = []
  return {
    registry,
    stored: new StoredReader(catalog, stores, options.storage.etcdPrefix),
    flowLimits: flows?.limits,
    api: api.api,
    loadManifests: () => admission.loadManifests(),
    isServed: info => hasRoute(catalog.snapshot(), info),
    followGone: goneVersionsOf(catalog, services).follow,
    metrics: [...declared.families(), ...services.flatMap(({ metrics = [] }) => metrics)],
    checks: services.flatMap(({ checks = [] }) => checks),
    routes: services.flatMap(({ routes = [] }) => routes),
    faults,
    clientOf: identity => loops.clientOf(identity, { signal: ended.signal }),
    revision: () => options.storage.backend.currentRevision(ended.signal),
    synced: signal => stores.synced(signal),
    origin: () => originOf({ bootstrap, roles, stores }),
    start(start) {
      const env = loopsEnvironment(options, registry.access(ended.signal), queues)
      running.push(...startAll(options.storage.holds === 'past' ? [api, definitions] : services, { ...start, env }, ended.signal))
    },
    beginShutdown: () => api.beginShutdown(),
    close: () => closeAll({ api, ended, running, services }),
  }
}

/** Creates the admission of a registry that is made later. */
function openAdmission(
  options: ControlPlaneOptions,
  parts: Pick<AdmissionServiceParts, 'catalog' | 'reader' | 'resolveService'>,
  registry: () => Registry,
): AdmissionService {
  let nested: ResourceAccess | undefined
  return new AdmissionService(options, {
    ...parts,
    access: () => (nested ??= registry().access(undefined, { nested: true })),
    requests: () => registry().access(),
  })
}

/** Adds the kubelets of simulated nodes to those that are dialled. */
function withLocalServers(options: ControlPlaneOptions, local: LocalServers | undefined): ControlPlaneOptions {
  if (local === undefined) return options
  const { network } = options
  return { ...options, network: { ...network, kubelets: { ...network.kubelets, simulated: node => local.kubelet(node) } } }
}

/** Accesses of background loops to the API. */
interface LoopAccess extends Pick<ControllerServiceParts, 'leaderAccess' | 'clientOf'> {
  /** Undefined if no faults are injected. */
  readonly faults: Faults | undefined
  /** Servers of simulated nodes. Undefined without such nodes. */
  readonly local: LocalServers | undefined
}

/**
 * Returns the accesses of background loops. The calls of all clients run in order if writes are serialized, and
 * otherwise begin after requests of other clients.
 */
function loopAccess(
  options: ControlPlaneOptions,
  parts: Pick<InProcessClientParts, 'registry' | 'catalog' | 'foreign'>,
  ended: AbortSignal,
): LoopAccess {
  const { runtime, localServers, logger } = options
  const { settled, clock } = runtime
  const inTurn = settled ? clientsInTurn() : backgroundClient
  const faults = faultsOf(options, parts.registry, ended)
  const clientFor = (identity: ClientIdentity, ends: ClientEnds): ApiClient =>
    new InProcessClient({ ...parts, faults, clock, identity, ...ends })
  return {
    faults,
    leaderAccess: signal => parts.registry.access(signal, { nested: true }),
    clientOf: (identity, ends) => inTurn(clientFor(identity, ends)),
    // Its reads belong to requests, and do not wait for the calls of controllers.
    local: localServers?.({
      clientOf: identity => clientFor(identity, { signal: ended }),
      clock,
      logger,
      release: options.release.emulatedVersion,
    }),
  }
}

/** Services are notified first when a version is no longer served. */
function goneVersionsOf(catalog: Catalog, services: readonly Service[]): GoneVersions {
  const versions = new GoneVersions(catalog)
  versions.follow(version => {
    for (const service of services) service.forgetVersion?.(version)
  })
  return versions
}

/** Services whose initial work a copy of the store need not repeat. */
interface Begun {
  /** Has made its objects before there is an origin. */
  readonly bootstrap: BootstrapService
  /** Has made the default roles before there is an origin. */
  readonly roles: RoleService
  /** Has the states of the watch caches. */
  readonly stores: StoreService
}

/** Undefined until the initial objects exist and the caches are filled. */
function originOf({ bootstrap, roles, stores }: Begun): Origin | undefined {
  const states = bootstrap.hasMade && roles.areMade ? stores.kept() : undefined
  return states && { states }
}

/** Dependencies of the services that flags enable. */
interface OptionalServiceParts {
  readonly catalog: Catalog
  readonly registry: Registry
  readonly stores: StoreService
  /** Undefined without simulated nodes. */
  readonly local: LocalServers | undefined
  /** Undefined without priority and fairness. */
  readonly flows: FlowService | undefined
}

/** Services that are enabled by flags. */
function optionalServices(options: ControlPlaneOptions, { catalog, registry, stores, local, flows }: OptionalServiceParts): Service[] {
  const { runtime, storage, requests, console, access, release } = options
  const { backend, history } = storage
  return [
    ...(flows ? [flows] : []),
    ...(requests.faultObjects && runtime.faults ? [new FaultService(runtime.faults)] : []),
    ...(backend.snapshot ? [new SnapshotService(options)] : []),
    ...(history && backend.history ? [new HistoryService(options, history, { history: backend.history, catalog, stores })] : []),
    ...(console
      ? [
          new ConsoleService(console, {
            catalog,
            authorizer: access.authorizer,
            release: release.emulatedVersion,
            access: signal => registry.access(signal),
          }),
        ]
      : []),
    ...(local ? [local] : []),
    ...(runtime.recent ? [new WhyService(runtime.recent, access.rules)] : []),
  ]
}
/** Returns an AbortController for one listener per call of a controller, of which Node would warn. */
function controllerOfManyListeners(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

const startAll = (services: readonly Service[], start: ServiceStart, signal: AbortSignal): Promise<unknown>[] =>
  services.map(async service => service.start?.(start, signal))

/** Parts of a control plane that is closed. */
interface Closing {
  readonly api: ApiService
  /** Aborts everything that the control plane has started. */
  readonly ended: AbortController
  /** Promises of the services' background work. */
  readonly running: readonly Promise<unknown>[]
  /** Services, which are closed in the reverse order of their creation. */
  readonly services: readonly Service[]
}

/** Ends watches and loops, waits for them, and closes the services. */
async function closeAll({ api, ended, running, services }: Closing): Promise<void> {
  api.beginShutdown()
  ended.abort()
  await Promise.allSettled(running)
  for (const service of services.toReversed()) await service.close?.()
}

const loopsEnvironment = (
  { runtime: { settled, clock }, logger }: Pick<ControlPlaneOptions, 'runtime' | 'logger'>,
  access: ResourceAccess,
  queues: WorkQueues,
): ControllerEnvironment => ({
  access: settled ? callsInTurn(access) : access,
  clock,
  logger,
  queues,
})

const isOfDefinitions = ({ group, names }: Version): boolean =>
  group === CUSTOM_RESOURCE_DEFINITIONS.group && names.plural === CUSTOM_RESOURCE_DEFINITIONS.resource

/** Dependencies of the registry. */
interface RegistryParts {
  readonly catalog: Catalog
  readonly stores: StoreService
  readonly admission: AdmissionService
  /** Receives differences between declared rules and `validate`. */
  readonly declared: DeclaredObserver
  /** Called at writes of definitions. The service is made after the registry. */
  definitions(): DefinitionService
}

/** Creates the registry. A write of a definition returns once the definition is served. */
function openRegistry(options: ControlPlaneOptions, { catalog, stores, admission, declared, definitions }: RegistryParts): Registry {
  const registry: Registry = new Registry(catalog, {
    clock: options.runtime.clock,
    etcdPrefix: options.storage.etcdPrefix,
    features: options.release.gates,
    newUid: options.runtime.random.uuid,
    nameSuffix: () => nameSuffix(options.runtime.random),
    admission: admission.functions,
    declared,
    authorizeCreate: target => authorizeCreate(options.access, target),
    storageFor: definition => stores.storageFor(definition),
    afterWrite: ({ hub }, name) => (isOfDefinitions(hub) ? definitions().serveWritten(registry.access(), name) : undefined),
  })
  return registry
}

/** Authorizes a PUT that would create the object. It needs permission to create as well. Throws 403. */
async function authorizeCreate({ authorizer }: AccessOptions, target: WriteTarget): Promise<void> {
  const { ctx } = target
  if (ctx.isTrusted) return
  const info = { ...ctx.info, verb: 'create' }
  if (await allows(authorizer, ctx, info)) return
  throw forbidden(ctx.user, info, '')
}
