import type { PluginName } from '../admission/plugin-names.ts'
import type { AuditOptions } from '../audit/open-auditor.ts'
import { CONTROLLER_NAMES, type ControllerName, isControllerName } from '../controllers/names.ts'
import type { Gates } from '../lifecycle/gates.ts'
import type { Release } from '../lifecycle/release.ts'
import type { LaterVersions, RuntimeConfig } from '../lifecycle/served.ts'
import { parseCidr } from '../meta/ip.ts'
import type { MetricExposure } from '../server/metrics/metric-exposure.ts'
import { admissionPluginsOf, type GivenPlugins } from './admission-plugins.ts'
import { auditOf } from './audit-config.ts'
import { type RequestHeaderConfig, requestHeaderOf, requestHeaderWarnings, type ServiceAccountConfig, serviceAccountsOf } from './auth-config.ts'
import { type AuthenticationConfig, anonymousWarnings, authenticationOf } from './authentication-config.ts'
import { type AuthorizationConfig, authorizationOf } from './authorization-config.ts'
import { flagDeprecations } from './deprecated-flags.ts'
import { type EtcdConfig, etcdOf } from './etcd-config.ts'
import { type Reader, reader } from './flag-reader.ts'
import { metricsOf } from './metrics-config.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'
import { DEFAULT_PROFILE, type PlaceConfig, type Profile, placeOf, profileOf } from './place-config.ts'
import { compatibilityOf, emulatedVersionOf, gatesOf, laterVersionsOf, runtimeConfigOf } from './release-config.ts'
import { type ServiceConfig, servicesOf } from './service-config.ts'
import { consolePortOf, type ServingConfig, servingOf } from './serving-config.ts'
import {
  type EncryptionFile,
  embeddedStoreOf,
  encryptionOf,
  type HistoryConfig,
  historyOf,
  prefixOf,
  type StoreProbes,
  storedFormOf,
  storeProbesOf,
  type WatchCacheSizes,
  watchCacheSizesOf,
} from './store-config.ts'
import { type TokenWebhookConfig, tokenWebhookOf } from './token-webhook-config.ts'

/** Connections to kubelets. Files are paths. */
export interface KubeletConfig {
  readonly addressTypes: readonly string[]
  readonly port: number
  readonly caFile: string | undefined
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

/** Validated options of the server. Times in milliseconds. Files are paths as given. */
export interface Config extends AuthenticationConfig, AuthorizationConfig, PlaceConfig, WatchCacheSizes {
  readonly securePort: number
  readonly serving: ServingConfig
  readonly bindAddress: string
  /** 0 disables it. */
  readonly insecurePort: number
  readonly advertiseAddress: string | undefined
  readonly servingFiles: { readonly cert: string; readonly key: string } | undefined
  readonly externalHostname: string | undefined
  readonly clientCaFile: string | undefined
  readonly requestHeader: RequestHeaderConfig | undefined
  /** Whether bootstrap tokens in Secrets of kube-system are accepted. */
  readonly bootstrapTokens: boolean
  readonly tokenAuthFile: string | undefined
  /** Undefined if webhook token authentication is disabled. */
  readonly tokenWebhook: TokenWebhookConfig | undefined
  readonly serviceAccounts: ServiceAccountConfig
  readonly domain: string
  /** Number of serving processes. More than one requires etcd. */
  readonly workers: number
  readonly controllers: ReadonlySet<ControllerName>
  /** Enabled plugins, in order. */
  readonly admissionPlugins: readonly PluginName[]
  /** File of plugin configurations. */
  readonly admissionConfigFile: string | undefined
  /** Whether pods that name a missing service account are rejected. False if this server runs the controllers except the one that creates accounts. */
  readonly requireServiceAccounts: boolean
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
  readonly audit: AuditOptions
  /** Undefined for the embedded store. */
  readonly etcd: EtcdConfig | undefined
  /** Whether to probe if the server of `etcd` is a stand-in, which is then replaced by the embedded store. */
  readonly etcdStandIn: boolean
  /** Starts with a slash and does not end with one. */
  readonly etcdPrefix: string
  /** Maximum number of open moments. 0 disables them. */
  readonly moments: number
  /** Maximum number of branches. 0 disables them. */
  readonly branches: number
  /** Limit of the changes kept for each branch, in bytes. */
  readonly branchBytes: number
  /** Whether Fault objects can inject faults into requests. */
  readonly faults: boolean
  /** Port of the browser console. Undefined if it is off. 0 for a free port. */
  readonly consolePort: number | undefined
  /** Number of requests that are kept for `why`. 0 disables it. */
  readonly why: number
  readonly storedAs: 'json' | 'protobuf'
  /** Undefined if encryption at rest is off. */
  readonly encryption: EncryptionFile | undefined
  readonly watchCache: boolean
  readonly storeProbes: StoreProbes
  /** 0 disables compaction by this server. */
  readonly compactionIntervalMs: number
  /** Undefined if only the history that watches need is kept. */
  readonly history: HistoryConfig | undefined
  readonly servesDamagedStore: boolean
  readonly quotaSyncPeriodMs: number
  /** Retention of Event objects. */
  readonly eventTtlMs: number
  /** One CIDR, or two of different families. The first is the default. */
  readonly serviceClusterIpRanges: readonly string[]
  /** Inclusive. */
  readonly serviceNodePorts: { readonly first: number; readonly last: number }
  readonly kubelets: KubeletConfig
  readonly services: ServiceConfig
  /** 0 disables the limit. Long-running requests are not counted. */
  readonly maxRequestsInFlight: number
  readonly maxMutatingRequestsInFlight: number
  /** Whether API Priority and Fairness is on. Its seats are the sum of the two limits. */
  readonly priorityAndFairness: boolean
  readonly requestTimeoutMs: number
  /** Minimum duration of a watch without timeoutSeconds. The actual one is random, up to twice that. */
  readonly minRequestTimeoutMs: number
  /** Time between the signal and closing the listeners. /readyz fails meanwhile, but requests are served. */
  readonly shutdownDelayMs: number
  /** Grace period of /livez for startup checks. */
  readonly livezGraceMs: number
  /** Release whose API is served. */
  readonly emulatedVersion: Release
  readonly gates: Gates
  readonly runtimeConfig: RuntimeConfig
  /** Metrics to expose. */
  readonly metrics: MetricExposure
  readonly laterVersions: LaterVersions
  readonly verbosity: number
  readonly loggingFormat: 'text' | 'json'
  /** Log messages: deprecated flags and gates, and features that are requested but not implemented, without which the server allows less. */
  readonly warnings: readonly string[]
}

/** Builds the configuration from flags and defaults. Throws FlagError that names the flag. */
export function buildConfig(given: GivenFlags): Config {
  const read = reader(given)
  const profile = profileOf(read.text('profile') ?? DEFAULT_PROFILE)
  const place = placeOf(profile, read)
  const release = emulatedVersionOf(read.list('emulated-version'))
  const admissionPlugins = admissionPluginsOf(release, pluginFlags(given))
  const gates = gatesOf(release, read.switches('feature-gates'), compatibilityOf(release, read.list('min-compatibility-version')))
  const metrics = metricsOf(read, release)
  const { serving, warnings: servingWarnings } = servingOf(read, gates)
  const config: Config = {
    ...place,
    ...listeningOf(given, read, place),
    serving,
    ...believedOf(read, gates),
    tokenAuthFile: read.text('token-auth-file'),
    tokenWebhook: tokenWebhookOf(read),
    ...authenticationOf(read, given, gates),
    ...authorizationOf(read, given, gates),
    serviceAccounts: serviceAccountsOf(read, gates),
    domain: read.text('domain') ?? 'k8s.io',
    workers: read.int('workers', 1),
    ...loopsOf(profile, given, read),
    admissionPlugins,
    admissionConfigFile: read.text('admission-control-config-file'),
    tolerationSeconds: { notReady: read.int('default-not-ready-toleration-seconds', 0), unreachable: read.int('default-unreachable-toleration-seconds', 0) },
    audit: auditOf(read),
    etcd: etcdOf(read),
    moments: momentsOf(read),
    branches: read.int('branches', 0),
    branchBytes: read.int('branch-bytes', 1),
    faults: read.bool('enable-faults'),
    why: whyOf(read),
    etcdStandIn: read.bool('etcd-stand-in'),
    storedAs: storedFormOf(read.text('storage-media-type') ?? 'application/json'),
    encryption: encryptionOf(read),
    etcdPrefix: prefixOf(read.text('etcd-prefix') ?? '/registry'),
    watchCache: read.bool('watch-cache'),
    storeProbes: storeProbesOf(read),
    ...watchCacheSizesOf(read.list('watch-cache-sizes')),
    compactionIntervalMs: read.duration('etcd-compaction-interval'),
    ...embeddedStoreOf(read),
    eventTtlMs: read.duration('event-ttl'),
    serviceClusterIpRanges: (read.text('service-cluster-ip-range') ?? '').split(',').filter(range => range !== ''),
    serviceNodePorts: nodePortsOf(read.text('service-node-port-range') ?? ''),
    kubelets: kubeletsOf(read),
    services: servicesOf(read),
    ...limitsOf(read),
    requestTimeoutMs: read.duration('request-timeout'),
    minRequestTimeoutMs: read.int('min-request-timeout', 0) * 1000,
    shutdownDelayMs: read.duration('shutdown-delay-duration'),
    livezGraceMs: read.duration('livez-grace-period'),
    emulatedVersion: release,
    gates,
    runtimeConfig: runtimeConfigOf(read.switches('runtime-config')),
    metrics: metrics.exposure,
    laterVersions: laterVersionsOf(release, name => read.bool(name)),
    verbosity: read.int('v', 0),
    loggingFormat: loggingFormatOf(read.text('logging-format') ?? 'text'),
    warnings: [...flagWarnings(given, read), ...gates.warnings, ...metrics.warnings, ...servingWarnings],
  }
  checkTogether(config)
  return Object.freeze(config)
}

const flagWarnings = (given: GivenFlags, read: Reader): string[] => [
  ...flagDeprecations(given.values.keys()),
  ...anonymousWarnings(read),
  ...requestHeaderWarnings(read),
]

/** Default number of moments with --history: as many as can be compared side by side. */
const MOMENTS_OF_HISTORY = 4

/** Number of moments. A server that keeps history serves it by default. */
const momentsOf = (read: Reader): number => (!read.isGiven('moments') && historyOf(read) !== undefined ? MOMENTS_OF_HISTORY : read.int('moments', 0))

/** Maximum of --why. More could not be listed and searched. */
const MOST_WHY = 100_000

function whyOf(read: Reader): number {
  const why = read.int('why', 0)
  if (why > MOST_WHY) throw new FlagError(`--why: must be at most ${MOST_WHY}`)
  return why
}

/** CAs and tokens that authenticate clients. */
const believedOf = (read: Reader, gates: Gates): Pick<Config, 'clientCaFile' | 'requestHeader' | 'bootstrapTokens'> => ({
  bootstrapTokens: read.bool('enable-bootstrap-token-auth'),
  clientCaFile: read.text('client-ca-file'),
  requestHeader: requestHeaderOf(read, gates),
})

type Listening = 'securePort' | 'bindAddress' | 'insecurePort' | 'consolePort' | 'advertiseAddress' | 'servingFiles' | 'externalHostname'

/** Addresses, ports and names of the server. */
function listeningOf({ values }: GivenFlags, read: Reader, { ephemeral }: PlaceConfig): Pick<Config, Listening> {
  // Each of several ephemeral servers gets its own port.
  const securePort = ephemeral && !values.has('secure-port') ? 0 : read.port('secure-port')
  return {
    securePort,
    bindAddress: read.text('bind-address') ?? '127.0.0.1',
    insecurePort: read.port('insecure-port'),
    consolePort: consolePortOf(read, securePort),
    advertiseAddress: read.text('advertise-address'),
    servingFiles: read.pair('tls-cert-file', 'tls-private-key-file'),
    externalHostname: read.text('external-hostname'),
  }
}

/** Controllers, and settings that depend on them. */
function loopsOf(profile: Profile, { values }: GivenFlags, read: Reader): Pick<Config, 'controllers' | 'requireServiceAccounts' | 'quotaSyncPeriodMs'> {
  const controllers = controllersOf(values.get('controllers') ?? (profile === 'apiserver' || read.bool('read-only') ? [] : ['*']))
  if (read.bool('read-only') && controllers.size > 0) throw new FlagError('--read-only and --controllers are mutually exclusive: controllers write')
  return {
    controllers,
    requireServiceAccounts: profile === 'apiserver' || controllers.has('serviceaccount-controller'),
    quotaSyncPeriodMs: read.duration('resource-quota-sync-period'),
  }
}

/** Parses the concurrency limits. Throws FlagError if priority and fairness would have no seats. */
function limitsOf(read: Reader): Pick<Config, 'maxRequestsInFlight' | 'maxMutatingRequestsInFlight' | 'priorityAndFairness'> {
  const reads = read.int('max-requests-inflight', 0)
  const writes = read.int('max-mutating-requests-inflight', 0)
  const priorityAndFairness = read.bool('enable-priority-and-fairness')
  if (priorityAndFairness && reads + writes <= 0)
    throw new FlagError(`invalid configuration: MaxRequestsInFlight=${reads} and MaxMutatingRequestsInFlight=${writes}; they must add up to something positive`)
  return { maxRequestsInFlight: reads, maxMutatingRequestsInFlight: writes, priorityAndFairness }
}

const pluginFlags = ({ values }: GivenFlags): GivenPlugins => ({
  enable: values.get('enable-admission-plugins'),
  disable: values.get('disable-admission-plugins'),
  only: values.get('admission-control'),
})

/** Validates combinations of flags. Throws FlagError. */
function checkTogether(config: Config): void {
  for (const range of config.serviceClusterIpRanges)
    if (parseCidr(range) === undefined) throw new FlagError(`--service-cluster-ip-range: ${JSON.stringify(range)} is not a CIDR such as 10.0.0.0/24`)
  if (config.branches > 0 && config.etcd !== undefined && !config.etcdStandIn)
    throw new FlagError(
      `--branches=${config.branches} requires the embedded store: etcd cannot keep the revision of a branch, so --etcd-servers must not be set`,
    )
  if (config.workers > 1 && config.etcd === undefined)
    throw new FlagError(`--workers=${config.workers} requires --etcd-servers: the embedded store supports one process`)
  if (config.workers > 1 && config.consolePort !== undefined)
    throw new FlagError(`--workers=${config.workers} and --console are mutually exclusive: sessions are kept by one process`)
  if (config.workers > 1 && config.audit.log !== undefined)
    throw new FlagError(`--workers=${config.workers} and --audit-log-path are mutually exclusive: the log is written by one process`)
  if (config.history !== undefined && config.etcd !== undefined && !config.etcdStandIn)
    throw new FlagError('--history and --etcd-servers are mutually exclusive: etcd and other servers on it compact its revisions')
  if (config.moments > 0 && config.etcd !== undefined && config.etcd.overrides.length > 0)
    throw new FlagError('--moments and --etcd-servers-overrides are mutually exclusive: a moment is a revision of one store')
  if (config.authorizationRulesFile !== undefined && !config.authorizationModes.includes('Rules'))
    throw new FlagError('--authorization-rules-file requires --authorization-mode=Rules')
}

/** NodeAddressType of core/v1. */
const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

/** Parses the kubelet flags. Throws FlagError. */
function kubeletsOf(read: Reader): KubeletConfig {
  const addressTypes = read.list('kubelet-preferred-address-types')
  for (const type of addressTypes)
    if (!ADDRESS_TYPES.includes(type))
      throw new FlagError(`--kubelet-preferred-address-types: ${JSON.stringify(type)} is not a type of address; it may be ${ADDRESS_TYPES.join(', ')}`)
  return {
    addressTypes,
    port: read.port('kubelet-port'),
    caFile: read.text('kubelet-certificate-authority'),
    client: read.pair('kubelet-client-certificate', 'kubelet-client-key'),
  }
}

/** Parses a port range as apimachinery's PortRange: `30000-32767`, `30000+2767`, or one port. Throws FlagError. */
function nodePortsOf(text: string): { first: number; last: number } {
  // Both bounds are inclusive.
  const dash = /^(\d+)-(\d+)$/.exec(text)
  const plus = /^(\d+)\+(\d+)$/.exec(text)
  const first = Number(dash?.[1] ?? plus?.[1] ?? (/^\d+$/.test(text) ? text : Number.NaN))
  const last = dash ? Number(dash[2]) : plus ? first + Number(plus[2]) : first
  if (!(first >= 1 && first <= last && last <= 65535))
    throw new FlagError(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`)
  return { first, last }
}

/** Parses component-base's --logging-format. Throws FlagError. */
function loggingFormatOf(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new FlagError(`--logging-format: unsupported log format ${JSON.stringify(text)}; it may be text or json`)
}

/** Parses `*`, names, and `-name` to exclude, in any order. An explicit name takes precedence over `*`. Throws FlagError. */
function controllersOf(given: readonly string[]): ReadonlySet<ControllerName> {
  for (const entry of given)
    if (entry !== '*' && !isControllerName(entry.replace(/^-/, '')))
      throw new FlagError(`--controllers: ${JSON.stringify(entry)} is not in the list of known controllers: ${CONTROLLER_NAMES.join(', ')}`)
  return new Set(CONTROLLER_NAMES.filter(name => given.includes(name) || (given.includes('*') && !given.includes(`-${name}`))))
}
