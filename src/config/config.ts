import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PluginName } from '../admission/plugin-names.ts'
import { CONTROLLER_NAMES, type ControllerName, isControllerName } from '../controllers/names.ts'
import { parseDuration } from '../lib/duration.ts'
import { type Gates, LifecycleError, parseGates } from '../lifecycle/gates.ts'
import { RELEASES, type Release } from '../lifecycle/release.ts'
import { checkRuntimeConfig, type RuntimeConfig } from '../lifecycle/served.ts'
import { admissionPluginsOf } from './admission-plugins.ts'
import { FLAGS, type FlagName, type FlagSpec } from './flag-table.ts'
import { BOOL, FlagError, type GivenFlags, isTrue } from './parse-flags.ts'

export interface EtcdConfig {
  readonly servers: readonly string[]
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
}

/** How kubelets are reached. Files are paths. */
export interface KubeletConfig {
  readonly addressTypes: readonly string[]
  readonly port: number
  readonly caFile: string | undefined
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'RBAC' | 'Rules'
export interface ServiceAccountConfig {
  /** The first signs, the others are believed. Never empty. */
  readonly issuers: readonly string[]
  /** Undefined: a key is made. */
  readonly signingKeyFile: string | undefined
  readonly keyFiles: readonly string[]
  /** Of this server. Never empty. */
  readonly audiences: readonly string[]
  /** 0: as long as asked for. */
  readonly maxExpirationSeconds: number
  readonly extendExpiration: boolean
  /** Tokens that are kept in Secrets are good only while their Secret is there. */
  readonly lookUp: boolean
  /** Undefined: this server's own. */
  readonly keySetUrl: string | undefined
}

/** All options of the server, checked. Times are in milliseconds, files are paths as given. */
export interface Config {
  readonly dataDir: string
  /** It was made for this run, and goes with it. */
  readonly dataIsTemporary: boolean
  readonly kubeconfigOut: string
  readonly securePort: number
  /** What speaks HTTP/2: the stack of this project, or Node's. */
  readonly http2: 'own' | 'builtin'
  readonly bindAddress: string
  /** 0: none. */
  readonly insecurePort: number
  readonly advertiseAddress: string | undefined
  readonly certDir: string
  readonly servingFiles: { readonly cert: string; readonly key: string } | undefined
  readonly externalHostname: string | undefined
  readonly clientCaFile: string | undefined
  readonly tokenAuthFile: string | undefined
  readonly anonymousAuth: boolean
  readonly authorizationModes: readonly AuthorizationMode[]
  readonly authorizationRulesFile: string | undefined
  readonly serviceAccounts: ServiceAccountConfig
  readonly domain: string
  /** Processes that serve; more than one on etcd only. */
  readonly workers: number
  readonly controllers: ReadonlySet<ControllerName>
  /** Those that are on, in their order. */
  readonly admissionPlugins: readonly PluginName[]
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number }
  /** Undefined: the embedded store. */
  readonly etcd: EtcdConfig | undefined
  /** Begins with a slash and ends without one. */
  readonly etcdPrefix: string
  readonly storedAs: 'json' | 'protobuf'
  /** Undefined: nothing is encrypted at rest. */
  readonly encryption: { readonly file: string; readonly automaticReload: boolean } | undefined
  readonly watchCache: boolean
  /** Resources that are read from the store even so: `pods`, `deployments.apps`. */
  readonly withoutWatchCache: ReadonlySet<string>
  /** Resources for which a size was given that has no effect. */
  readonly droppedWatchCacheSizes: readonly string[]
  /** 0: no compaction from here. */
  readonly compactionIntervalMs: number
  readonly eventTtlMs: number
  /** One CIDR, or two of different families, the first is the default. */
  readonly serviceClusterIpRanges: readonly string[]
  /** Inclusive. */
  readonly serviceNodePorts: { readonly first: number; readonly last: number }
  readonly kubelets: KubeletConfig
  readonly maxRequestsInFlight: number
  readonly maxMutatingRequestsInFlight: number
  readonly requestTimeoutMs: number
  readonly minRequestTimeoutMs: number
  readonly shutdownDelayMs: number
  readonly emulatedVersion: Release
  readonly gates: Gates
  readonly runtimeConfig: RuntimeConfig
  readonly verbosity: number
  readonly loggingFormat: 'text' | 'json'
  /** What the server does not do although it is asked for: less than it would allow with it. A sentence each. */
  readonly lacking: readonly string[]
}

/** Defaults where nothing is given. Throws FlagError naming the flag. */
export function buildConfig(given: GivenFlags): Config {
  const read = reader(given)
  const profile = profileOf(read.text('profile') ?? 'binnacle')
  const place = placeOf(profile, read)
  const modes = authorizationModesOf(read)
  const admissionPlugins = admissionPluginsOf({
    enable: given.values.get('enable-admission-plugins'),
    disable: given.values.get('disable-admission-plugins'),
    only: given.values.get('admission-control'),
  })
  const release = emulatedVersionOf(read.list('emulated-version'))
  const config: Config = {
    ...place,
    kubeconfigOut: read.text('kubeconfig-out') ?? join(place.dataDir, 'admin.kubeconfig'),
    securePort: read.port('secure-port'),
    http2: http2Of(read.text('http2') ?? 'own'),
    bindAddress: read.text('bind-address') ?? '127.0.0.1',
    insecurePort: read.port('insecure-port'),
    advertiseAddress: read.text('advertise-address'),
    certDir: read.text('cert-dir') ?? join(place.dataDir, 'pki'),
    servingFiles: read.pair('tls-cert-file', 'tls-private-key-file'),
    externalHostname: read.text('external-hostname'),
    clientCaFile: read.text('client-ca-file'),
    tokenAuthFile: read.text('token-auth-file'),
    anonymousAuth: isTrue(read.text('anonymous-auth') ?? 'true'),
    authorizationModes: modes.filter(mode => mode !== 'Node'),
    authorizationRulesFile: read.text('authorization-rules-file'),
    serviceAccounts: serviceAccountsOf(read),
    domain: read.text('domain') ?? 'k8s.io',
    workers: read.int('workers', 1),
    controllers: controllersOf(given.values.get('controllers') ?? (profile === 'apiserver' ? [] : ['*'])),
    admissionPlugins,
    tolerationSeconds: { notReady: read.int('default-not-ready-toleration-seconds', 0), unreachable: read.int('default-unreachable-toleration-seconds', 0) },
    etcd: etcdOf(read),
    storedAs: storedFormOf(read.text('storage-media-type') ?? 'application/json'),
    encryption: encryptionOf(read),
    etcdPrefix: prefixOf(read.text('etcd-prefix') ?? '/registry'),
    watchCache: isTrue(read.text('watch-cache') ?? 'true'),
    ...watchCacheSizesOf(read.list('watch-cache-sizes')),
    compactionIntervalMs: read.duration('etcd-compaction-interval'),
    eventTtlMs: read.duration('event-ttl'),
    serviceClusterIpRanges: (read.text('service-cluster-ip-range') ?? '').split(',').filter(range => range !== ''),
    serviceNodePorts: nodePortsOf(read.text('service-node-port-range') ?? ''),
    kubelets: kubeletsOf(read),
    maxRequestsInFlight: read.int('max-requests-inflight', 0),
    maxMutatingRequestsInFlight: read.int('max-mutating-requests-inflight', 0),
    requestTimeoutMs: read.duration('request-timeout'),
    minRequestTimeoutMs: read.int('min-request-timeout', 0) * 1000,
    shutdownDelayMs: read.duration('shutdown-delay-duration'),
    emulatedVersion: release,
    gates: gatesOf(release, read.switches('feature-gates')),
    runtimeConfig: runtimeConfigOf(read.switches('runtime-config')),
    verbosity: read.int('v', 0),
    loggingFormat: loggingFormatOf(read.text('logging-format') ?? 'text'),
    lacking: [
      ...given.lacking,
      ...(modes.includes('Node') ? ['--authorization-mode=Node is not implemented: nodes may do what the other modes allow them'] : []),
      ...(admissionPlugins.includes('NodeRestriction')
        ? ['--enable-admission-plugins=NodeRestriction is not implemented: nodes may not write what it restricts']
        : []),
    ],
  }
  for (const range of config.serviceClusterIpRanges)
    if (!/^[0-9a-fA-F:.]+\/\d{1,3}$/.test(range)) throw new FlagError(`--service-cluster-ip-range: ${JSON.stringify(range)} is not a CIDR such as 10.0.0.0/24`)
  if (config.workers > 1 && config.etcd === undefined)
    throw new FlagError(`--workers=${config.workers} needs --etcd-servers: the embedded store is for one process`)
  if (config.authorizationRulesFile !== undefined && !config.authorizationModes.includes('Rules'))
    throw new FlagError('--authorization-rules-file needs --authorization-mode=Rules')
  return Object.freeze(config)
}

interface Reader {
  text(name: FlagName): string | undefined
  list(name: FlagName): readonly string[]
  int(name: FlagName, least: number): number
  port(name: FlagName): number
  duration(name: FlagName): number
  switches(name: FlagName): ReadonlyMap<string, boolean>
  pair(cert: FlagName, key: FlagName): { readonly cert: string; readonly key: string } | undefined
}

function reader({ values }: GivenFlags): Reader {
  const preset = (name: FlagName): string | undefined => {
    const spec: FlagSpec = FLAGS[name]
    return spec.status === 'used' ? spec.default : undefined
  }
  const text = (name: FlagName): string | undefined => {
    const value = values.get(name)?.[0] ?? preset(name)
    return value === '' ? undefined : value
  }
  const int = (name: FlagName, least: number, most = Number.MAX_SAFE_INTEGER): number => {
    const value = Number(text(name) ?? 0)
    if (value < least || value > most)
      throw new FlagError(`--${name} ${value} must be ${most < Number.MAX_SAFE_INTEGER ? `between ${least} and ${most}` : `at least ${least}`}, inclusive`)
    return value
  }
  return {
    text,
    int,
    list: name => values.get(name) ?? preset(name)?.split(',') ?? [],
    port: name => int(name, 0, 65535),
    duration: name => {
      const ms = parseDuration(text(name) ?? '0s')
      if (ms < 0) throw new FlagError(`--${name} can not be negative value`)
      return ms
    },
    switches: name =>
      new Map(
        (values.get(name) ?? []).map(entry => {
          const equals = entry.indexOf('=')
          const [key, value] = equals < 0 ? [entry, 'true'] : [entry.slice(0, equals).trim(), entry.slice(equals + 1).trim()]
          if (!BOOL.test(value))
            throw new FlagError(`--${name}: invalid value of ${key}=${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`)
          return [key, isTrue(value)]
        }),
      ),
    pair: (cert, key) => {
      const files = { cert: text(cert), key: text(key) }
      if (files.cert === undefined && files.key === undefined) return undefined
      if (files.cert === undefined || files.key === undefined) throw new FlagError(`--${cert} and --${key} go together`)
      return { cert: files.cert, key: files.key }
    },
  }
}

function etcdOf(read: Reader): EtcdConfig | undefined {
  const servers = read.list('etcd-servers')
  if (servers.length === 0) return undefined
  for (const server of servers)
    if (!/^https?:\/\/[^/\s]+\/?$/.test(server)) throw new FlagError(`--etcd-servers: ${JSON.stringify(server)} is not a URL such as http://127.0.0.1:2379`)
  const client = read.pair('etcd-certfile', 'etcd-keyfile')
  return { servers: servers.map(server => server.replace(/\/$/, '')), caFile: read.text('etcd-cafile'), certFile: client?.cert, keyFile: client?.key }
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']

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

function encryptionOf(read: Reader): Config['encryption'] {
  const file = read.text('encryption-provider-config')
  const automaticReload = isTrue(read.text('encryption-provider-config-automatic-reload') ?? 'false')
  if (file !== undefined) return { file, automaticReload }
  if (automaticReload) throw new FlagError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return undefined
}

function prefixOf(text: string): string {
  const trimmed = text.replace(/^\/+|\/+$/g, '')
  if (trimmed === '') throw new FlagError('--etcd-prefix must not be empty')
  return `/${trimmed}`
}

/** Upstream's `resource[.group]#size`. */
function watchCacheSizesOf(sizes: readonly string[]): Pick<Config, 'withoutWatchCache' | 'droppedWatchCacheSizes'> {
  const given = new Map<string, number>()
  for (const text of sizes) {
    const [resource = '', size, ...more] = text.split('#')
    if (size === undefined || more.length > 0) throw new FlagError(`--watch-cache-sizes: invalid value of watch cache size: ${text}`)
    if (!/^[+-]?\d+$/.test(size)) throw new FlagError(`--watch-cache-sizes: invalid size of watch cache size: ${text}`)
    if (Number(size) < 0) throw new FlagError(`--watch-cache-sizes: watch cache size cannot be negative: ${text}`)
    given.set(resource, Number(size))
  }
  const having = (is: (size: number) => boolean) => [...given].filter(([, size]) => is(size)).map(([resource]) => resource)
  return { withoutWatchCache: new Set(having(size => size === 0)), droppedWatchCacheSizes: having(size => size > 0) }
}

type Profile = 'binnacle' | 'apiserver'

function profileOf(name: string): Profile {
  if (name === 'binnacle' || name === 'apiserver') return name
  throw new FlagError(`--profile=${name} is not a profile; it may be binnacle or apiserver`)
}

/** kube-apiserver writes nothing into the directory that it is started in: tests are started in that of their sources. */
function placeOf(profile: Profile, read: Reader): Pick<Config, 'dataDir' | 'dataIsTemporary'> {
  const given = read.text('data-dir') ?? (profile === 'apiserver' ? read.text('cert-dir') : 'data')
  // Nobody can guess the name, and so put anything there before.
  return { dataDir: given ?? join(tmpdir(), `kube-apiserver-${randomUUID()}`), dataIsTemporary: given === undefined }
}

function http2Of(stack: string): Config['http2'] {
  if (stack === 'own' || stack === 'builtin') return stack
  throw new FlagError(`--http2=${stack} is not a stack of HTTP/2; it may be own or builtin`)
}

/** Bindings count unless something else is asked for, as with kube-apiserver in a cluster. */
function authorizationModesOf(read: Reader): readonly (AuthorizationMode | 'Node')[] {
  const given = read.list('authorization-mode')
  if (given.length > 0) return given.map(authorizationMode)
  return read.text('authorization-rules-file') === undefined ? ['RBAC'] : ['Rules', 'RBAC']
}

function authorizationMode(mode: string): AuthorizationMode | 'Node' {
  switch (mode) {
    case 'Node':
    case 'AlwaysAllow':
    case 'AlwaysDeny':
    case 'RBAC':
    case 'Rules':
      return mode
    case 'ABAC':
    case 'Webhook':
      throw new FlagError(`--authorization-mode=${mode} is not implemented; it may be RBAC, Rules, AlwaysAllow or AlwaysDeny`)
    default:
      throw new FlagError(`--authorization-mode: unsupported authorization mode ${JSON.stringify(mode)}; it may be RBAC, Rules, AlwaysAllow or AlwaysDeny`)
  }
}

const LEAST_TOKEN_MS = 3_600_000
const MOST_TOKEN_MS = 2 ** 32 * 1000

function serviceAccountsOf(read: Reader): ServiceAccountConfig {
  const issuers = read.list('service-account-issuer')
  for (const issuer of issuers)
    if (issuer.includes(':') && !URL.canParse(issuer)) throw new FlagError(`--service-account-issuer contained a ':' but was not a valid URL: ${issuer}`)
  const maxMs = read.duration('service-account-max-token-expiration')
  if (maxMs !== 0 && (maxMs < LEAST_TOKEN_MS || maxMs > MOST_TOKEN_MS))
    throw new FlagError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  const keySetUrl = read.text('service-account-jwks-uri')
  if (keySetUrl !== undefined && !/^https:\/\//.test(keySetUrl)) throw new FlagError(`service-account-jwks-uri requires https scheme, parsed as: ${keySetUrl}`)
  const audiences = read.list('api-audiences')
  return {
    issuers,
    signingKeyFile: read.text('service-account-signing-key-file'),
    keyFiles: read.list('service-account-key-file'),
    audiences: audiences.length > 0 ? audiences : issuers,
    maxExpirationSeconds: Math.floor(maxMs / 1000),
    extendExpiration: isTrue(read.text('service-account-extend-token-expiration') ?? 'true'),
    lookUp: isTrue(read.text('service-account-lookup') ?? 'true'),
    keySetUrl,
  }
}

function nodePortsOf(text: string): { first: number; last: number } {
  const dash = /^(\d+)-(\d+)$/.exec(text)
  const plus = /^(\d+)\+(\d+)$/.exec(text)
  const first = Number(dash?.[1] ?? plus?.[1] ?? (/^\d+$/.test(text) ? text : Number.NaN))
  const last = dash ? Number(dash[2]) : plus ? first + Number(plus[2]) : first
  if (!(first >= 1 && first <= last && last <= 65535))
    throw new FlagError(`--service-node-port-range: ${JSON.stringify(text)} is not a range of ports such as 30000-32767`)
  return { first, last }
}

function emulatedVersionOf(given: readonly string[]): Release {
  let release: Release = '1.33'
  for (const entry of given) {
    const version = /^(?:kube=)?v?(\d+\.\d+)(?:\.0)?$/.exec(entry)?.[1]
    const known = RELEASES.find(each => each === version)
    if (known === undefined) throw new FlagError(`--emulated-version=${entry} is not implemented; it may be ${RELEASES.join(' or ')}`)
    release = known
  }
  return release
}

function storedFormOf(mediaType: string): 'json' | 'protobuf' {
  if (mediaType === 'application/json') return 'json'
  if (mediaType === 'application/vnd.kubernetes.protobuf') return 'protobuf'
  throw new FlagError(
    `--storage-media-type: ${JSON.stringify(mediaType)} is not implemented; it may be application/json or application/vnd.kubernetes.protobuf`,
  )
}

function loggingFormatOf(text: string): 'text' | 'json' {
  if (text === 'text' || text === 'json') return text
  throw new FlagError(`--logging-format: unsupported log format ${JSON.stringify(text)}; it may be text or json`)
}

function gatesOf(release: Release, given: ReadonlyMap<string, boolean>): Gates {
  try {
    return parseGates(release, given)
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--feature-gates: ${error.message}`) : error
  }
}

function runtimeConfigOf(given: RuntimeConfig): RuntimeConfig {
  try {
    checkRuntimeConfig(given)
    return given
  } catch (error) {
    throw error instanceof LifecycleError ? new FlagError(`--runtime-config: ${error.message}`) : error
  }
}

/** `*`, names, and `-name` for those to leave out, in any order; a name that is given explicitly counts more than `*`. */
function controllersOf(given: readonly string[]): ReadonlySet<ControllerName> {
  for (const entry of given)
    if (entry !== '*' && !isControllerName(entry.replace(/^-/, '')))
      throw new FlagError(`--controllers: ${JSON.stringify(entry)} is not in the list of known controllers: ${CONTROLLER_NAMES.join(', ')}`)
  return new Set(CONTROLLER_NAMES.filter(name => given.includes(name) || (given.includes('*') && !given.includes(`-${name}`))))
}
