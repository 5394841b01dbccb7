import { type PluginConfigurations, readAdmissionConfiguration } from '../admission/configuration-file.ts'
import { manifestDirectories } from '../admission/manifests/manifest-directories.ts'
import { readWebhookCredentials, type WebhookCredentials, type WebhookPluginName } from '../admission/webhooks/credentials.ts'
import type { CertificateMetrics } from '../clients/certificate-metrics.ts'
import type { SchedulerSettings } from '../cluster/scheduler/configuration/settings.ts'
import type { SchedulerMetrics } from '../cluster/scheduler/scheduler-metrics.ts'
import type { ClusterSettings } from '../cluster/shared/environment.ts'
import type { NodeCidrs } from '../cluster/shared/node-cidrs.ts'
import type { NodePool } from '../cluster/shared/node-pool.ts'
import { type MediaOffer, mediaOffer } from '../codec/accept-header.ts'
import { isOwnFrontProxy } from '../config/auth-config.ts'
import type { Config } from '../config/config.ts'
import type { ControllersConfig } from '../config/controllers-config.ts'
import type { EtcdConfig } from '../config/etcd-config.ts'
import { contentOf } from '../config/flag-content.ts'
import type { KubeletConfig } from '../config/network-config.ts'
import type { RequestsConfig } from '../config/requests-config.ts'
import { type Auth, openAuth } from '../control-plane/auth-service.ts'
import type { ClusterLoopParts } from '../control-plane/cluster-loop.ts'
import type { ConsoleOptions } from '../control-plane/console-service.ts'
import { type ControlPlane, createControlPlane } from '../control-plane/control-plane.ts'
import type { ControlPlaneOptions, ObservabilityOptions, RequestOptions, StorageOptions } from '../control-plane/control-plane-options.ts'
import { MountService, type MountServiceParts } from '../control-plane/mounts/mount-service.ts'
import type { Origin } from '../control-plane/origin.ts'
import type { Runtime } from '../control-plane/runtime.ts'
import type { StartOptions } from '../control-plane/service.ts'
import { type ClusterPartName, isClusterPart } from '../controllers/names.ts'
import type { Kubelets } from '../endpoints/connect/ask.ts'
import { ProxyClientKey } from '../extensions/aggregation/client-keys.ts'
import { readConfigFile, readConfigText } from '../lib/bounded-input.ts'
import { steadyClock } from '../lib/clock.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import { heapGrowth } from '../lib/heap-growth.ts'
import type { Logger } from '../lib/log.ts'
import { noEgress } from '../lib/no-egress.ts'
import type { Spans } from '../lib/spans.ts'
import type { Gates } from '../lifecycle/gates.ts'
import { isSince } from '../lifecycle/release.ts'
import { IMAGE_POLICY_PLUGIN, openImagePolicy } from '../resources/core/pod/image-policy/configuration.ts'
import type { ServerCredentials } from '../server/tls/material.ts'
import { gitVersion } from '../server/version.ts'
import type { AgreedValues } from '../storage/agreed-values.ts'
import { addressesOf } from '../storage/etcd/options.ts'
import type { Encryption } from '../storage/value/encryption.ts'
import { growthWithKinds, growthWithWatches } from './heap-bounds.ts'
import { localServers } from './local-servers.ts'
import type { OpenedStores } from './open-stores.ts'
import type { ClusterSelection } from './run-cluster.ts'

/** Dependencies of the services. */
export interface GivenServices {
  /** Stores, which the control plane closes. */
  readonly stores: OpenedStores
  /** Optional. State of the server whose store this one has a copy of. */
  readonly origin?: Origin | undefined
  /** Clock, random numbers and faults. */
  readonly runtime: Runtime
  /** Transformers of stored values. */
  readonly encryption: Encryption
  /** Secrets that the servers of a store share. Undefined if no other server shares the store. */
  readonly agreed: AgreedValues | undefined
  /** Metrics of the serving certificates of webhooks. */
  readonly certificates: CertificateMetrics
  /** Records calls of the store. Undefined if tracing is off. */
  readonly spans: Spans | undefined
  /** Connections to other servers. A read-only server makes none to those that its objects name. */
  readonly egress: Egress
  /** Undefined if the server has no console. */
  readonly console: ConsoleOptions | undefined
  /** Returns the authorities of clients and of this server, and its certificate for aggregated servers. */
  readonly authorities: () => Promise<Pick<ServerCredentials, 'ownCa' | 'serverCa' | 'frontProxy'>>
}

/** Services that handle requests. Closing the plane closes the stores. */
export interface OpenServices {
  /** Media types of the server, by its gates. */
  readonly media: MediaOffer
  readonly auth: Auth
  /** Registry and controllers. */
  readonly plane: ControlPlane
  /** Moments and branches. Undefined if the configuration allows none. */
  readonly mounts: MountService | undefined
  /** Starts controllers. Called when the server listens. */
  start(options: StartOptions): void
  /** Ends watches. Other requests in flight continue. */
  beginShutdown(): void
  /** Closes moments and branches, then the plane, whose store they read. */
  closePlanes(): Promise<void>
}

/**
 * A read-only server often serves a backup, whose objects refer to servers of the original cluster: it must not connect
 * to them.
 */
const READ_ONLY_EGRESS = noEgress('this server is read-only (--read-only) and does not connect to other servers')

/**
 * Opens authentication, authorization and the control plane. Throws an error with an `ERR_…_CONFIG` code if a file that
 * a flag names is invalid.
 */
export async function openServices(config: Config, given: GivenServices, log: Logger): Promise<OpenServices> {
  const { stores, origin, runtime, encryption, agreed, certificates, spans, egress, console } = given
  const media = mediaOffer({ cbor: config.release.gates.enabled('CBORServingAndStorage'), domain: config.requests.domain })
  const auth = await openAuth(config, runtime.clock, log, { agreed, certificates, egress })
  const kubelets = await kubeletsOf(config.network.kubelets)
  const { configFile, plugins, tolerationSeconds, requireServiceAccounts } = config.admission
  const configurations: PluginConfigurations =
    configFile === undefined
      ? new Map()
      : await readAdmissionConfiguration(configFile, plugins, (message, fields) => log.warn(message, fields))
  const imagePolicy = plugins.includes(IMAGE_POLICY_PLUGIN) ? await openImagePolicy(configurations, steadyClock, certificates) : undefined
  const { authorizer, rules, nodeGraph, services } = auth
  const { addresses, toEndpoints, refusesRedirects } = config.network.services
  const outward = config.serving.readOnly ? READ_ONLY_EGRESS : egress
  const parts = clusterPartsOf(config)
  const schedulerMetrics = parts.includes('scheduler') ? await newSchedulerMetrics() : undefined
  const settings = { ...(await clusterSettingsOf(config, parts, given.authorities)), schedulerMetrics }
  const options: ControlPlaneOptions = {
    runtime,
    logger: log,
    release: config.release,
    storage: { ...storageOf(config), ...stores, encryption, origin },
    access: { authorizer, auth: services, ...(rules && { rules }), ...(nodeGraph && { nodeGraph }), trust: () => auth.trust() },
    admission: {
      plugins,
      tolerationSeconds,
      requireServiceAccounts,
      configurations,
      webhookCredentials: await webhookCredentialsOf(configurations, config.release.gates),
      manifests: await manifestDirectories(configurations, config.release.gates),
      ...(imagePolicy && { imagePolicy }),
    },
    controllers: config.controllers,
    ...(parts.length > 0 && {
      cluster: (loop, signal) => runCluster({ names: parts, ...settings }, loop, signal),
      ...(schedulerMetrics && { clusterMetrics: schedulerMetrics.families() }),
    }),
    ...(config.controllers.enabled.has('kubelet') && { localServers: parts => localServers(config.controllers.simulatedAccess, parts) }),
    network: {
      serviceCIDRs: config.network.serviceClusterIpRanges,
      nodePorts: config.network.serviceNodePorts,
      services: { addresses, toEndpoints },
      kubelets: { ...kubelets, dial: outward.cluster },
      aggregation: { refusesRedirects, ...(await proxyClientKey(config, given.authorities)) },
      egress: outward,
    },
    requests: requestsOf(config.requests, media),
    observability: { spans, webhookCertificates: certificates, ...heapBounds },
    ...(console && { console }),
  }
  const plane = createControlPlane(options)
  await plane.loadManifests()
  return { media, auth, ...together(plane, mountsOf(config, { auth, plane, options, dial: egress.controlplane, log })) }
}

const together = (plane: ControlPlane, mounts: MountService | undefined): Omit<OpenServices, 'media' | 'auth'> => ({
  plane,
  mounts,
  start(options) {
    plane.start(options)
    mounts?.begin(options)
  },
  beginShutdown() {
    plane.beginShutdown()
    mounts?.beginShutdown()
  },
  async closePlanes() {
    await mounts?.close()
    await plane.close()
  },
})

/** Returns the service of moments and branches. Undefined if the configuration allows none. */
const mountsOf = (config: Config, parts: Omit<MountServiceParts, 'config' | 'createPlane'>): MountService | undefined =>
  config.storage.mounts.moments > 0 || config.storage.mounts.branches > 0
    ? new MountService({ ...parts, config, createPlane: createControlPlane })
    : undefined

/** Reads the credentials with which the webhook plugins call webhooks. Throws an AdmissionConfigError. */
async function webhookCredentialsOf(
  configurations: PluginConfigurations,
  { release }: Gates,
): Promise<ReadonlyMap<WebhookPluginName, WebhookCredentials>> {
  const found = new Map<WebhookPluginName, WebhookCredentials>()
  for (const plugin of ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'] as const) {
    const credentials = await readWebhookCredentials(configurations, plugin, { clock: steadyClock, mayLackFile: isSince(release, '1.36') })
    if (credentials) found.set(plugin, credentials)
  }
  return found
}

/** Addresses of all members of all stores. */
const storeMembers = ({ servers, overrides }: EtcdConfig): string[] => [
  ...new Set([servers, ...overrides.map(override => override.servers)].flatMap(addressesOf)),
]

/** Options of storage that depend on the configuration alone. */
const storageOf = ({ storage, release }: Config): Omit<StorageOptions, 'backend' | 'otherStores' | 'encryption'> => ({
  ...(storage.etcd && { etcdServers: storeMembers(storage.etcd) }),
  etcdPrefix: storage.etcdPrefix,
  probes: storage.probes,
  isExclusive: storage.etcd === undefined,
  fingerprint: gitVersion(release.emulatedVersion),
  storedAs: storage.storedAs,
  eventTtlSeconds: Math.ceil(storage.eventTtlMs / 1000),
  isCached: resource => storage.watchCache.isEnabled && !storage.watchCache.without.has(resource),
  cachesOnDemand: false,
  compactionIntervalMs: storage.compactionIntervalMs,
  ...(storage.history && { history: storage.history }),
})

const requestsOf = (
  { minTimeoutMs, priorityAndFairness, maxInFlight, maxMutatingInFlight, faults }: RequestsConfig,
  media: MediaOffer,
): RequestOptions => ({
  media,
  minTimeoutSeconds: minTimeoutMs / 1000,
  ...(priorityAndFairness && { totalSeats: maxInFlight + maxMutatingInFlight }),
  faultObjects: faults,
})

/** Enabled parts of the cluster. */
const clusterPartsOf = ({ controllers }: Config): ClusterPartName[] => [...controllers.enabled].filter(isClusterPart)

/** Settings of the enabled parts. Throws FlagError or a SchedulerConfigError if a file that a flag names is invalid. */
const clusterSettingsOf = async (
  config: Config,
  parts: readonly ClusterPartName[],
  authorities: GivenServices['authorities'],
): Promise<Omit<ClusterSettings, 'schedulerMetrics'>> => ({
  nodes: parts.includes('kubelet') ? await nodePoolsOf(config.controllers.nodes) : [],
  nodeCidrs: nodeCidrsOf(config),
  loadBalancerRanges: config.controllers.loadBalancerRanges,
  authority: async () => (await authorities()).ownCa,
  servingCa: async () => (await authorities()).serverCa,
  scheduler: await schedulerSettingsOf(config),
})

/** Ranges of the addresses of pods. Undefined if nodes get none. */
function nodeCidrsOf({ controllers, network }: Config): NodeCidrs | undefined {
  return controllers.podRanges.length === 0 ? undefined : { ranges: controllers.podRanges, serviceCIDRs: network.serviceClusterIpRanges }
}

/** Pools of simulated nodes. Throws FlagError if the file cannot be used. */
async function nodePoolsOf(nodes: ControllersConfig['nodes']): Promise<readonly NodePool[]> {
  const [{ plainPool }, { parseNodePools }] = await Promise.all([
    import('../cluster/nodes/node-objects.ts'),
    import('../cluster/nodes/decode-pools.ts'),
  ])
  if (typeof nodes === 'number') return [plainPool(nodes)]
  return contentOf(['nodes'], async () => parseNodePools(await readConfigFile(nodes.file)))
}

/** Reads the file of --scheduler-config, if there is one. Rejects with a SchedulerConfigError that names the fields. */
async function schedulerSettingsOf({ controllers: { schedulerFile }, release: { gates } }: Config): Promise<SchedulerSettings | undefined> {
  if (schedulerFile === undefined) return undefined
  const { schedulerSettings } = await import('../cluster/scheduler/configuration/settings.ts')
  return schedulerSettings(await readConfigFile(schedulerFile), gates)
}

const newSchedulerMetrics = async (): Promise<SchedulerMetrics> =>
  new (await import('../cluster/scheduler/scheduler-metrics.ts')).SchedulerMetrics()

/** Runs parts of the cluster, whose code is only loaded then. */
const runCluster = async (selection: ClusterSelection, parts: ClusterLoopParts, signal: AbortSignal): Promise<void> =>
  (await import('./run-cluster.ts')).runCluster(selection, parts, signal)

/** Adapts the growth of the heap to the number of custom kinds and watches. */
const heapBounds: Pick<ObservabilityOptions, 'onCustomKinds' | 'onWatchers'> = {
  onCustomKinds: count => {
    // The bound stays when kinds are deleted, as their garbage stays in the heap for a while.
    const growth = growthWithKinds(count)
    if (growth !== undefined) heapGrowth.bound('custom kinds', growth)
  },
  onWatchers: most => heapGrowth.bound('watches', growthWithWatches(most)),
}

/** Returns the certificate for aggregated servers, if there is one. */
async function proxyClientKey(
  { access, network }: Config,
  authorities: GivenServices['authorities'],
): Promise<{ readonly client?: ProxyClientKey }> {
  const files = network.services.proxyClient
  if (files) return { client: await contentOf(['proxy-client-cert-file', 'proxy-client-key-file'], () => ProxyClientKey.open(files)) }
  if (!isOwnFrontProxy(access)) return {}
  return { client: ProxyClientKey.issued(authorities().then(({ frontProxy }) => frontProxy)) }
}

/** Reads the files of kubelet connections. */
async function kubeletsOf({ addressTypes, port, caFile, client }: KubeletConfig): Promise<Kubelets> {
  const read = (file: string): Promise<string> => readConfigText(file)
  return {
    addressTypes,
    port,
    ...(caFile !== undefined && { certificateAuthority: await read(caFile) }),
    ...(client && { client: { cert: await read(client.cert), key: await read(client.key) } }),
  }
}
