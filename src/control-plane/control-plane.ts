import { randomBytes, randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { hostname } from 'node:os'
import type { PluginName } from '../admission/plugin-names.ts'
import { forbidden } from '../auth/authz/forbidden.ts'
import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import { Catalog } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import { checkIsBuilt, servedDefinitions } from '../catalog/served.ts'
import type { MediaOffer } from '../codec/negotiate.ts'
import { allocationRepairController } from '../controllers/allocation-repair.ts'
import { apiServiceAvailabilityController } from '../controllers/api-service-availability.ts'
import { apiServiceController } from '../controllers/api-services.ts'
import { bootstrap, keepBootstrapped } from '../controllers/bootstrap.ts'
import { clusterRoleAggregationController } from '../controllers/cluster-role-aggregation.ts'
import { compactHistory, newStore } from '../controllers/compaction.ts'
import type { Controller, ControllerEnvironment } from '../controllers/controller.ts'
import { keepFlowControlObjects } from '../controllers/flow-control-objects.ts'
import { flowSchemaStatusController } from '../controllers/flow-schema-status.ts'
import { garbageCollector } from '../controllers/garbage-collector/garbage-collector.ts'
import { whileLeading } from '../controllers/leadership.ts'
import type { ControllerName } from '../controllers/names.ts'
import { namespaceController } from '../controllers/namespace.ts'
import { namespaceContentController } from '../controllers/namespace-content.ts'
import { policyStatusController } from '../controllers/policy-status.ts'
import { followRules } from '../controllers/rbac-index.ts'
import { bootstrapRbacPolicy } from '../controllers/rbac-policy.ts'
import { serviceAccountTokenController } from '../controllers/service-account-token.ts'
import { WorkQueueMetrics } from '../controllers/work-queue-metrics.ts'
import { type Api, createApi } from '../endpoints/api.ts'
import type { Kubelets } from '../endpoints/connect/ask.ts'
import { streamTranslation } from '../endpoints/connect/stream-translation.ts'
import { createDeprecatedRequests } from '../endpoints/deprecated-requests.ts'
import { Discovery } from '../endpoints/discovery/discovery.ts'
import { OpenApiEndpoint } from '../endpoints/openapi/endpoint.ts'
import { isKnown } from '../endpoints/resolve.ts'
import { WatchMetrics } from '../endpoints/watch-metrics.ts'
import { WatchOutput } from '../endpoints/watch-writing.ts'
import { awaitKind } from '../extensions/await-kind.ts'
import { ConversionMetrics } from '../extensions/conversion/metrics.ts'
import { definitionController } from '../extensions/definition-controller.ts'
import { customResources } from '../extensions/follow-definitions.ts'
import type { Clock } from '../lib/clock.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { ReadGauge } from '../lib/metrics.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { Release } from '../lifecycle/release.ts'
import { type RuntimeConfig, servedKinds } from '../lifecycle/served.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { ResourceRequestInfo } from '../meta/context.ts'
import { qualifiedResource } from '../meta/gvk.ts'
import { codecOf, type StoredForm } from '../registry/codec.ts'
import { Registry } from '../registry/registry.ts'
import type { WriteTarget } from '../registry/types.ts'
import { type AuthServices, builtinResources } from '../resources/builtin.ts'
import type { IsAllowed } from '../resources/certificates/signer-admission.ts'
import type { TolerationSeconds } from '../resources/core/pod/admission.ts'
import { readDescriptions } from '../resources/descriptions.ts'
import { agreedKey } from '../storage/agreed-values.ts'
import type { Backend } from '../storage/backend.ts'
import { ByteBudget, DERIVED_BYTES } from '../storage/byte-budget.ts'
import { cacherMetrics } from '../storage/cacher/metrics.ts'
import { namedReports } from '../storage/corrupt.ts'
import { listMetrics } from '../storage/list-metrics.ts'
import { RequestTimings } from '../storage/request-timings.ts'
import { key } from '../storage/revision.ts'
import { storageSize } from '../storage/size-gauge.ts'
import { Encryption } from '../storage/value/encryption.ts'
import { createAdmission } from './admission-services.ts'
import { Readiness, type ReadinessCheck } from './readiness.ts'
import { openStores } from './stores.ts'

export interface ControlPlaneOptions {
  readonly backend: Backend
  readonly clock: Clock
  readonly logger: Logger
  readonly release: Release
  readonly gates: Gates
  readonly runtimeConfig: RuntimeConfig
  readonly etcdPrefix: string
  /** URLs of etcd's members; absent where the store is in this process. */
  readonly etcdServers?: readonly string[]
  /** Names program and schema: stored bytes with this mark are served unread. */
  readonly fingerprint: string
  readonly storedAs?: StoredForm
  /** Absent: nothing is encrypted at rest. */
  readonly encryption?: Encryption
  readonly eventTtlSeconds: number
  /** Whether a resource (`pods`, `deployments.apps`) is read through the watch cache. Default: every one. */
  readonly isCached?: (resource: string) => boolean
  /** 0: this server does not compact. */
  readonly compactionIntervalMs: number
  readonly serviceCIDRs: readonly string[]
  readonly nodePorts: { readonly first: number; readonly last: number }
  readonly controllers: ReadonlySet<ControllerName>
  /** No other server writes to the store. */
  readonly exclusiveStore: boolean
  /** Called with the number of custom kinds that are served, whenever they change. */
  readonly onCustomKinds?: (count: number) => void
  /** Those that are on, in their order. */
  readonly admissionPlugins: readonly PluginName[]
  readonly tolerationSeconds: TolerationSeconds
  readonly minRequestTimeoutSeconds: number
  readonly media: MediaOffer
  /** For logs, exec and proxies. */
  readonly kubelets: Kubelets
  /** What reviews and token requests answer with; absent: nobody is known. */
  readonly auth?: AuthServices
  /** Kept as the roles and bindings are, where an authorizer reads it. */
  readonly rules?: RuleIndex
  /** Whether the authorizers let the user do this. */
  readonly isAllowed: IsAllowed
}

export interface StartOptions {
  readonly address: string
  readonly port: number
  readonly serviceIP: string
  /** PEM. */
  readonly certificateAuthority: string
}

/** Everything between the HTTP server and the store. */
export interface ControlPlane {
  readonly api: Api
  /** Whether there is such a resource, and subresource. */
  isServed(info: ResourceRequestInfo): boolean
  readonly metrics: readonly MetricFamily[]
  readonly checks: readonly ReadinessCheck[]
  readonly registry: Registry
  /** Resolves once every resource can be read from memory. */
  synced(signal: AbortSignal): Promise<void>
  /** Makes the bootstrap objects and starts the controllers. */
  start(options: StartOptions): void
  /** Ends watches; requests in flight go on. */
  beginShutdown(): void
  close(): Promise<void>
}

const LEADERSHIP = { name: 'binnacle-controllers', identity: `${hostname()}_${randomUUID()}`, leaseMs: 6000, stopMs: 4000, renewMs: 2000 }

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

/** As apimachinery's names: five characters without vowels and look-alikes. */
const nameSuffix = (): string => Array.from(randomBytes(5), byte => SUFFIX_ALPHABET[byte % SUFFIX_ALPHABET.length]).join('')

export function createControlPlane(options: ControlPlaneOptions): ControlPlane {
  const { backend, clock, logger } = options
  const nodePortRange = { base: options.nodePorts.first, size: options.nodePorts.last - options.nodePorts.first + 1 }
  const { release, runtimeConfig } = options
  const built = builtinResources({
    features: options.gates,
    eventTtlSeconds: options.eventTtlSeconds,
    serviceCIDRs: [...options.serviceCIDRs],
    nodePortRange,
    ...(options.etcdServers && { etcdServers: options.etcdServers }),
    ...(options.auth && { auth: options.auth }),
  })
  checkIsBuilt(built, release, runtimeConfig)
  const definitions = servedDefinitions(built, servedKinds(release, options.gates, runtimeConfig))
  const catalog = new Catalog(definitions, release)
  const deprecatedRequests = createDeprecatedRequests()
  const watchMetrics = new WatchMetrics()
  const streams = streamTranslation(options.gates)
  const stored = definitions.filter(definition => definition.storage !== undefined)
  const unsafeDeletion = options.gates.enabled('AllowUnsafeMalformedObjectDeletion')
  const encryption = options.encryption ?? new Encryption()
  const derived = new ByteBudget(DERIVED_BYTES)
  const timings = new RequestTimings()
  const queues = new WorkQueueMetrics()
  const stores = openStores(
    backend,
    stored.map(definition => cachedResource(options, encryption, derived, definition)),
    {
      logger,
      consistentReads: options.gates.enabled('ConsistentListFromCache'),
      resilientStart: options.gates.enabled('ResilientWatchCacheInitialization'),
      exactReads: options.gates.enabled('ListFromCacheSnapshot'),
      timings,
      ...(unsafeDeletion && { reports: namedReports(options.etcdPrefix) }),
      ...(options.isCached && { isCached: options.isCached }),
    },
  )
  const authorize = authorizeOf(options)
  const admission = createAdmission({
    catalog,
    logger,
    isAllowed: options.isAllowed,
    authorize,
    registry: () => registry,
    plugins: options.admissionPlugins,
    tolerationSeconds: options.tolerationSeconds,
  })
  const registry: Registry = new Registry(catalog, {
    clock,
    etcdPrefix: options.etcdPrefix,
    features: options.gates,
    newUid: randomUUID,
    nameSuffix,
    admission: admission.functions,
    authorizeCreate: target => authorizeCreate(options, target),
    storageFor: definition => stores.storageFor(nameOf(definition)),
  })
  const conversionMetrics = new ConversionMetrics()
  const shutdown = new AbortController()
  const stopped = new AbortController()
  setMaxListeners(0, shutdown.signal, stopped.signal) // one listener a watch, and one a call of a controller
  const running: Promise<void>[] = []
  // Nothing is written by this server before its start.
  const dropBeginning = options.compactionIntervalMs > 0 ? newStore(backend, agreedKey(options.etcdPrefix, 'certificate-authority'), stopped.signal) : undefined
  let serverAddress = ''
  const readiness = new Readiness(() => stores.ready(), options.rules !== undefined)
  const env = {
    catalog,
    registry,
    clock,
    media: options.media,
    watchList: options.gates.enabled('WatchList'),
    deprecatedRequests,
    watchMetrics,
    watchOutput: new WatchOutput(),
    kubelets: options.kubelets,
    streams,
    minRequestTimeoutSeconds: options.minRequestTimeoutSeconds,
    ...(unsafeDeletion && { unsafeDeletion: authorize }),
    awaitKind: (group: string, resource: string, signal: AbortSignal) => awaitKind(registry.access(signal), catalog, group, resource, signal),
    shutdown: shutdown.signal,
  }
  return {
    registry,
    checks: [{ name: 'etcd', check: () => backend.check(AbortSignal.timeout(2000)) }, ...readiness.checks],
    api: createApi(env, new Discovery(() => serverAddress), new OpenApiEndpoint(readDescriptions)),
    isServed: info => isKnown(catalog.snapshot(), info),
    metrics: [
      deprecatedRequests,
      ...watchMetrics.families(),
      ...streams.metrics.families(),
      ...admission.metrics,
      new ReadGauge(
        { name: 'apiserver_storage_objects', help: 'Number of stored objects by resource.', stability: 'STABLE', labels: ['resource'], across: 'max' },
        () => stores.counts(),
      ),
      ...(stores.cacher ? cacherMetrics(stores.cacher, options.etcdPrefix) : []),
      ...listMetrics(() => stores.listCounts()),
      ...timings.families(),
      ...queues.families(),
      ...conversionMetrics.families,
      storageSize(backend, options.exclusiveStore ? 'embedded' : 'etcd-0', stopped.signal),
    ],
    synced: signal => stores.synced(signal),
    start(start) {
      serverAddress = `${start.address}:${start.port}`
      const access = registry.access(stopped.signal)
      const controllerEnv = { access, clock, logger, queues }
      const controllers: Controller[] = [
        ...(options.controllers.has('namespace-controller') ? [namespaceController(catalog)] : []),
        namespaceContentController({
          serviceAccount: options.controllers.has('serviceaccount-controller'),
          ...(options.controllers.has('root-ca-certificate-publisher-controller') && { certificateAuthority: start.certificateAuthority }),
        }),
        allocationRepairController(nodePortRange, options.exclusiveStore),
        definitionController(definition => custom.serveWritten(definition)),
        ...(options.controllers.has('serviceaccount-token-controller') && options.auth?.issuer
          ? [serviceAccountTokenController(options.auth.issuer, start.certificateAuthority)]
          : []),
        apiServiceAvailabilityController,
        keepFlowControlObjects,
        flowSchemaStatusController,
        ...(options.controllers.has('clusterrole-aggregation-controller') ? [clusterRoleAggregationController] : []),
        ...(options.controllers.has('validatingadmissionpolicy-status-controller') && admission.hasPolicies() ? [policyStatusController(catalog)] : []),
        ...(options.controllers.has('garbage-collector-controller') ? [garbageCollector(catalog)] : []),
      ]
      const lead = async (env: ControllerEnvironment, signal: AbortSignal): Promise<void> => {
        const loops = controllers.map(controller => controller({ ...env, queues }, signal))
        if (options.compactionIntervalMs > 0) loops.push(compactHistory(backend, logger, options.compactionIntervalMs, signal))
        await Promise.all(loops)
      }
      const bootstrapOptions = { ...start, serviceCIDRs: options.serviceCIDRs, alone: options.exclusiveStore }
      const custom = customResources({
        catalog,
        logger,
        builtin: definitions,
        ...(options.onCustomKinds && { onServed: options.onCustomKinds }),
        conversion: {
          post: (config, body, timeoutMs) => admission.webhookClients.post(config, body, { timeoutMs, signal: stopped.signal }),
          metrics: conversionMetrics,
        },
        addResource: definition => stores.add(cachedResource(options, encryption, derived, definition)),
        removeResource: definition => stores.remove(nameOf(definition)),
        onSynced: () => readiness.reached('crd-informer-synced'),
      })
      running.push(custom.follow(controllerEnv, stopped.signal))
      running.push(...admission.follow(controllerEnv, stopped.signal))
      const { rules } = options
      if (rules) running.push(followRules(controllerEnv, rules, stopped.signal, () => readiness.reached('rules known')))
      running.push(
        bootstrap(controllerEnv, bootstrapOptions, stopped.signal).then(async refused => {
          const dropped = await dropBeginning?.().catch(error => logger.warn('history cannot be compacted', { error: errorMessage(error) }))
          if (dropped) stores.forget(dropped)
          readiness.reached('bootstrap-controller')
          const policy = bootstrapRbacPolicy(controllerEnv, stopped.signal).then(() => readiness.reached('roles made'))
          await Promise.all([policy, keepBootstrapped(controllerEnv, bootstrapOptions, refused, stopped.signal)])
        }),
        apiServiceController(catalog, () => readiness.reached('autoregister-completion'))(controllerEnv, stopped.signal),
        options.exclusiveStore
          ? lead(controllerEnv, stopped.signal)
          : whileLeading(
              { access: signal => registry.access(signal, { nested: true }), clock, monotonic: () => performance.now(), logger },
              LEADERSHIP,
              stopped.signal,
              lead,
            ),
      )
    },
    beginShutdown: () => shutdown.abort(),
    async close() {
      shutdown.abort()
      stopped.abort()
      await Promise.allSettled(running)
      admission.webhookClients.close()
      await stores.close()
      await backend.close()
    },
  }
}

const authorizeOf =
  ({ auth, isAllowed }: ControlPlaneOptions): Authorizer['authorize'] =>
  async (user, info, signal) =>
    auth ? auth.authorizer.authorize(user, info, signal) : { decision: (await isAllowed(user, info, signal)) ? 'allow' : 'no opinion', reason: '' }

/** `pods`, `deployments.apps` */
const nameOf = ({ hub }: ResourceDefinition): string => qualifiedResource({ group: hub.group, resource: hub.names.plural })

const cachedResource = (options: ControlPlaneOptions, encryption: Encryption, derived: ByteBudget, definition: ResourceDefinition) => ({
  name: nameOf(definition),
  prefix: key(`${options.etcdPrefix}/${definition.storage?.prefix}/`),
  codec: codecOf(definition, options.fingerprint, options.storedAs, encryption.transformerFor(storedAsOf(definition)), derived),
  namespaced: definition.scope === 'Namespaced',
  ...(definition.storage?.indexedBy && { index: definition.storage.indexedBy.field }),
})

/** Events stand in two groups: as kube-apiserver does, they are stored as those of the core group. */
const storedAsOf = ({ hub, versions }: ResourceDefinition) => ({
  group: (versions.find(({ group }) => group === '') ?? hub).group,
  resource: hub.names.plural,
})

/** A PUT that would create needs the right to create, too. */
async function authorizeCreate({ isAllowed }: ControlPlaneOptions, target: WriteTarget): Promise<void> {
  const { ctx } = target
  const info = { ...ctx.info, verb: 'create' }
  if (await isAllowed(ctx.user, info, ctx.signal)) return
  throw forbidden(ctx.user, info, '')
}
