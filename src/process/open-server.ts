import type { ApiClient } from '../clients/api-client.ts'
import type { Config } from '../config/config.ts'
import { contentOf } from '../config/flag-content.ts'
import type { ListeningConfig } from '../config/listening-config.ts'
import type { AuditService } from '../control-plane/audit-service.ts'
import type { EncryptionService } from '../control-plane/encryption-service.ts'
import type { ClientIdentity } from '../control-plane/in-process-client.ts'
import type { Origin } from '../control-plane/origin.ts'
import type { StartOptions } from '../control-plane/service.ts'
import { statusEncoder } from '../endpoints/status-encoder.ts'
import { zpages } from '../endpoints/zpages/zpages.ts'
import { steadyClock } from '../lib/clock.ts'
import type { Egress } from '../lib/connect-proxy.ts'
import { defined } from '../lib/invariant.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import { untilAborted } from '../lib/on-abort.ts'
import type { Gates } from '../lifecycle/gates.ts'
import { isSince, wordingOf } from '../lifecycle/release.ts'
import type { ImpersonationMode } from '../server/filters/impersonation.ts'
import { Health, type HealthCheck } from '../server/health.ts'
import { serveMounts } from '../server/mounts/serve-mounts.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import type { ServerOptions } from '../server/server-options.ts'
import { authoritiesOf } from '../server/tls/authorities.ts'
import { beginAdminKeys } from '../server/tls/client-keys.ts'
import { followClientCa } from '../server/tls/follow-client-ca.ts'
import { followServingFiles, readServingFiles, type ServedCertificates, type ServingFiles } from '../server/tls/follow-serving-files.ts'
import type { ServerCredentials } from '../server/tls/material.ts'
import type { Tracing } from '../server/tracing/tracing.ts'
import { versionInfo } from '../server/version.ts'
import { delay } from '../storage/delay.ts'
import { openGround } from './ground.ts'
import { type Console, openConsole } from './open-console.ts'
import { type OpenServices, openServices } from './open-services.ts'
import type { ServerParts } from './server-parts.ts'
import { type AdminAccess, advertisedAddress, announce, serviceIpOf, urlHost } from './serving-files.ts'
import { type SharedCredentials, shareCredentials, unshared, untilConflict } from './shared-credentials.ts'
import { secretsOf } from './shared-store.ts'
import { REQUEST_GRACE_MS, Shutdown } from './shutdown.ts'
import type { WorkerBegin } from './workers/messages.ts'
import type { WorkerLink } from './workers/worker-link.ts'
import { zpageSource } from './zpage-source.ts'

/** Longest time that a replacement worker waits for its watch caches before it serves, in milliseconds. */
const FILL_MS = 30_000
/** Interval of checks of --client-ca-file and --requestheader-client-ca-file, in milliseconds. */
const CLIENT_CA_MS = 5_000
/** Interval of readiness checks while a caller waits for the server, in milliseconds. */
const LOOK_READY_MS = 2
/** Interval of checks of --tls-cert-file and --tls-sni-cert-key, in milliseconds. */
const CERTIFICATES_MS = 5_000

/** A running server. Several may be open in one process. */
export interface OpenServer {
  /** Port that was opened, also if the configuration left the choice to the system. */
  readonly securePort: number
  /** Undefined if the server has no plain HTTP port. */
  readonly insecurePort: number | undefined
  /** Its metrics. */
  readonly families: readonly MetricFamily[]
  /** Access of the administrator. Undefined in a worker, as the primary announces it. */
  readonly access: AdminAccess | undefined
  /** State for a server on a copy of the store. Undefined until this server has started. */
  origin(): Origin | undefined
  /** Returns a client in the process. Its requests are not authorized, limited or audited. */
  clientOf(identity: ClientIdentity): ApiClient
  /** Resolves once /readyz succeeds, or the signal aborts. */
  untilReady(signal: AbortSignal): Promise<void>
  /**
   * Resolves after `end`. Resolves earlier with an error if the server must stop because its certificate authority is
   * not that of the other servers on the store.
   */
  untilEnd(end: Promise<void>): Promise<Error | undefined>
  /** Fails readiness, waits for requests in progress, and closes the store. */
  stop(): Promise<void>
}

/**
 * Opens the store, loads or issues certificates, listens, and starts controllers. Returns undefined if the signal
 * aborts before the server listens; later aborts have no effect. Throws a FlagError or another error with an
 * `ERR_…_CONFIG` code if a file that a flag names is invalid.
 */
export async function openServer(parts: ServerParts, signal: AbortSignal): Promise<OpenServer | undefined> {
  const { config, log, link, runtime, given } = parts
  // Keys are generated while the store is opened, for which the certificates may have to wait.
  const adminKeys = link || given ? undefined : beginAdminKeys(config.files.certDir)
  const ground = await openGround(parts)
  const { tracing, encryption, egress, audit, stores } = ground
  const { encryption: encrypted } = encryption
  const agreed = given ? given.agreed : config.storage.etcd && secretsOf(config.storage, stores.backend, encrypted)
  // Certificates are issued while the services are opened.
  const shared = () => shareCredentials(config, agreed, log, signal, adminKeys && { adminKeys })
  const alone = link ? undefined : given ? unshared(given.credentials) : shared()
  const begun = link?.begin ?? alone?.credentials.then(beginAlone(config.listening))
  const console = openConsole(config.listening)
  const authorities = async (): Promise<WorkerBegin['credentials']> => defined(await begun, 'a server has credentials').credentials
  const services = await openServices(
    config,
    { ...ground, origin: given?.origin, runtime, encryption: encrypted, agreed, spans: tracing, console: console?.options, authorities },
    log,
  )
  const closeStore = (): Promise<unknown> =>
    Promise.all([services.closePlanes(), services.auth.close(), encryption.close(), audit.close(), tracing?.close()])
  const begin = await Promise.race([begun, untilAborted(signal)])
  if (begin === undefined) return void (await closeStore())
  return beginServing({ ...parts, encryption, audit, egress, tracing, services, console, begin, alone, closeStore })
}

/** Parts of a server that is about to serve. */
interface OpenedParts extends Omit<Listening, 'certificates' | 'health'> {
  /** Credentials that this server announces. Undefined in a worker, as the primary announces them. */
  readonly alone: SharedCredentials | undefined
  /** Closes the services and the store. */
  closeStore(): Promise<unknown>
}

/** Listens, announces the server, and starts controllers. */
async function beginServing(opened: OpenedParts): Promise<OpenServer> {
  const { config, log, link, services, console, begin, alone, closeStore } = opened
  const { plane, auth } = services
  auth.connect(plane.registry.access())
  auth.believe(authoritiesOf(begin.credentials.tls))
  if (begin.fillFirst) await plane.synced(AbortSignal.timeout(FILL_MS)).catch(() => log.warn('serving before all watch caches are synced'))
  const shutdown = new Shutdown()
  /** Whether the kubeconfig is written. The server is not ready before: clients could not use it. */
  let isAnnounced = alone === undefined
  const certificates = await givenCertificates(config)
  const health = healthOf({ ...opened, shutdown, isAnnounced: () => isAnnounced })
  const server = await listen({ ...opened, health, certificates })
  if (link) announceWorker(link, log)
  const announcing = alone?.credentials.then(async credentials => {
    const access = await announce(config, credentials, server, log, { consoleLink: console?.firstLink() })
    isAnnounced = true
    return access
  })
  const ended = new AbortController()
  followAuthorities({ config, begin, server, services, log }, ended.signal)
  followCertificates(certificates, server, log, ended.signal)
  services.start(startOptions(config, server.securePort, begin.credentials.serverCa))
  const access = await announcing
  return {
    securePort: server.securePort,
    insecurePort: server.insecurePort,
    families: server.families,
    access,
    origin: () => plane.origin(),
    clientOf: identity => plane.clientOf(identity),
    untilReady: signal => untilReady(health, signal),
    untilEnd: async end => (alone ? untilConflict(alone.conflict, end) : void (await end)),
    stop() {
      ended.abort()
      const { shutdownDelayMs: delayMs } = config.process
      return shutdown.run({
        delayMs,
        graceMs: REQUEST_GRACE_MS,
        stopServing: graceMs => stopServing(services, server, graceMs),
        closeStore,
        log,
      })
    },
  }
}

/** Tells the primary that the ports are open. */
function announceWorker(link: WorkerLink, log: Logger): void {
  log.info('worker serves', { pid: process.pid })
  link.serving()
}

/** Ends watches, waits up to `graceMs` for requests in progress, and closes the ports. */
function stopServing(services: OpenServices, server: RunningServer, graceMs: number): Promise<void> {
  services.beginShutdown()
  return server.stop(graceMs)
}

/** Data with which a server begins that has no primary. */
const beginAlone =
  ({ securePort, insecurePort }: ListeningConfig) =>
  (credentials: ServerCredentials): WorkerBegin => ({ credentials, securePort, insecurePort, fillFirst: false })

const startOptions = (config: Config, port: number, certificateAuthority: string): StartOptions => ({
  address: advertisedAddress(config.listening),
  port,
  serviceIP: serviceIpOf(config.network),
  certificateAuthority,
})

/** Parts of a server that listens. */
interface Listening extends ServerParts {
  /** Serving certificates from files. They are followed. */
  readonly certificates: GivenCertificates
  /** Undefined if tracing is off. */
  readonly tracing: Tracing | undefined
  /** Undefined if the server has no console. */
  readonly console: Console | undefined
  /** Credentials and ports, from the primary or made by this process. */
  readonly begin: WorkerBegin
  readonly services: OpenServices
  readonly encryption: EncryptionService
  readonly audit: AuditService
  readonly egress: Egress
  /** Checks of /livez and /readyz. */
  readonly health: Health
}

/** Parts that readiness depends on. */
interface Checked extends Pick<Listening, 'config' | 'log' | 'services' | 'encryption'> {
  /** Shutdown, during which readiness fails. */
  readonly shutdown: Shutdown
  /** Whether the administrator's kubeconfig is written. */
  readonly isAnnounced: () => boolean
}

const readiness = (name: string, isReady: () => boolean, otherwise: string): HealthCheck => ({
  name,
  endpoints: ['readyz'],
  check: () => {
    if (!isReady()) throw new Error(otherwise)
  },
})

/** Collects the checks of all services, and those of the server itself. Livez checks have a grace period. */
function healthOf({ config, log, services, encryption, shutdown, isAnnounced }: Checked): Health {
  const health = new Health(log, { graceMs: config.process.livezGraceMs, now: () => steadyClock.now() })
  health.add({ name: 'ping', check: () => {} }, { name: 'log', check: () => {} }, ...services.plane.checks, ...encryption.checks)
  health.add(readiness('kubeconfig', isAnnounced, 'the kubeconfig is not written yet'))
  health.add(readiness('shutdown', () => !shutdown.isUnderWay, 'process is shutting down'))
  return health
}

/** Form of impersonation by gate and release. `constrained` is KEP-5284. */
function impersonationOf(gates: Gates): ImpersonationMode {
  if (gates.enabled('ConstrainedImpersonation')) return 'constrained'
  return isSince(gates.release, '1.35') ? 'plain' : 'early'
}

/** Polls the readiness checks, each until it passes, since services do not report when they become ready. */
async function untilReady(health: Health, signal: AbortSignal): Promise<void> {
  let failing: HealthCheck | undefined
  while (!signal.aborted) {
    failing = await health.failing('readyz', failing)
    if (failing === undefined) return
    await delay(LOOK_READY_MS, signal).catch(() => {})
  }
}

const portsOf = ({ config, link, given, begin, console }: Listening): ServerOptions['ports'] => ({
  bindAddress: config.listening.bindAddress,
  secure: begin.securePort,
  insecure: begin.insecurePort === 0 ? undefined : begin.insecurePort,
  console,
  handed: link?.connections ?? (name => (name === 'secure' ? given?.port : undefined)),
})

const observabilityOf = ({
  config,
  link,
  runtime,
  services,
  encryption,
  audit,
  egress,
  tracing,
}: Listening): ServerOptions['observability'] => ({
  auditor: audit.auditor,
  recent: runtime.recent,
  tracing,
  logRequests: config.observability.verbosity >= 3,
  features: config.release.gates.states(),
  metrics: [
    ...[services.plane, encryption, services.auth, audit, egress, ...(services.mounts ? [services.mounts] : [])].flatMap(
      ({ metrics = [] }) => metrics,
    ),
    ...(runtime.faults?.families ?? []),
  ],
  exposure: config.observability.metrics,
  ...(link && { sharedMetrics: link }),
})

/** Starts to listen. Resolves when the ports are open. */
async function listen(parts: Listening): Promise<RunningServer> {
  const { config, log, runtime, begin, services, encryption, health, certificates, console } = parts
  const { plane, auth, media, mounts } = services
  plane.followGone(version => encryption.forgetVersion(version))
  let port = begin.securePort
  const documentsHost = config.listening.externalHostname ?? urlHost(advertisedAddress(config.listening))
  const { gates } = config.release
  const server = await startServer({
    endpoints: {
      api: plane.api,
      isServed: plane.isServed,
      followGone: plane.followGone,
      health,
      version: versionInfo(process, gates),
      issuerDocuments: () => auth.documents(`${documentsHost}:${port}`),
      zpages: zpages(zpageSource(config)),
      ownRoutes: [...plane.routes, ...(mounts?.routes ?? [])],
      ...(mounts && { mounts: serveMounts(mounts) }),
    },
    exchange: {
      encodeStatus: statusEncoder(media),
      compressAnswers: gates.enabled('APIResponseCompression'),
      memory: runtime.answerMemory,
      clock: runtime.clock,
      isHidden: auth.isHidden,
    },
    access: {
      authenticator: console ? console.served.withoutSessions(auth.authenticator) : auth.authenticator,
      authorizer: auth.authorizer,
      impersonation: impersonationOf(gates),
    },
    ports: portsOf(parts),
    tls: { material: { ...begin.credentials.tls, ...certificates.served }, policy: config.serving.tls },
    http: {
      http2: config.serving.http2,
      maxStreams: config.serving.maxStreams,
      conduct: config.serving,
      wording: wordingOf(gates.release),
    },
    limits: { ...config.requests, flowLimits: plane.flowLimits },
    observability: observabilityOf(parts),
    simulation: { settled: runtime.settled, faults: plane.faults },
    log,
  })
  port = server.securePort
  console?.opened(server.consolePort)
  return server
}

/** Serving certificates from files that flags name. */
interface GivenCertificates {
  /** Paths, which are followed for changes. */
  readonly files: ServingFiles
  /** Contents at the start. */
  readonly served: ServedCertificates
}

/** Flags that errors about the ordinary certificate name. */
const SERVING_FLAGS = ['tls-cert-file', 'tls-private-key-file'] as const

/** Reads the files. Throws FlagError that names their flags. */
async function givenCertificates({ listening: { servingFiles }, serving }: Config): Promise<GivenCertificates> {
  const files = { ordinary: servingFiles, named: serving.named }
  const flags = [...(servingFiles ? SERVING_FLAGS : []), ...(serving.named.length > 0 ? (['tls-sni-cert-key'] as const) : [])]
  return { files, served: await contentOf(flags, () => readServingFiles(files)) }
}

/** Reloads serving certificates when their files change, until the signal aborts. */
function followCertificates({ files, served }: GivenCertificates, server: RunningServer, log: Logger, signal: AbortSignal): void {
  if (files.ordinary === undefined && files.named.length === 0) return
  void followServingFiles({ files, inForce: served, intervalMs: CERTIFICATES_MS, log, onChange: changed => server.show(changed) }, signal)
}

/** Reloads --client-ca-file and --requestheader-client-ca-file when they change, until the signal aborts. */
function followAuthorities(
  { config, begin, server, services, log }: Pick<Listening, 'config' | 'begin' | 'services' | 'log'> & { readonly server: RunningServer },
  signal: AbortSignal,
): void {
  const { clientCaFile, requestHeader } = config.access
  const { ownCa, tls } = begin.credentials
  const frontProxies = requestHeader?.clientCaFile
  if (clientCaFile === undefined && frontProxies === undefined) return
  const files = {
    ...(clientCaFile !== undefined && { clients: clientCaFile }),
    ...(frontProxies !== undefined && { frontProxies }),
  }
  void followClientCa(
    {
      files,
      ownCa: ownCa.cert,
      inForce: tls,
      intervalMs: CLIENT_CA_MS,
      log,
      onChange(material, authorities) {
        server.believe(material)
        services.auth.believe(authorities)
      },
    },
    signal,
  )
}
