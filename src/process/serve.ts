import type { Config } from '../config/config.ts'
import { type EncryptionService, openEncryption } from '../control-plane/encryption-service.ts'
import { statusEncoder } from '../endpoints/status-encoder.ts'
import { collectWhenQuiet } from '../lib/collect-when-quiet.ts'
import type { Logger } from '../lib/log.ts'
import { Health } from '../server/health.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { REQUEST_GRACE_MS, Shutdown } from '../server/shutdown.ts'
import { stopSignal, workerStopSignal } from '../server/stop-signal.ts'
import { beginAdminKeys } from '../server/tls/client-keys.ts'
import { followClientCa } from '../server/tls/follow-client-ca.ts'
import { versionInfo } from '../server/version.ts'
import type { WorkerBegin } from '../server/workers/messages.ts'
import type { WorkerLink } from '../server/workers/worker-link.ts'
import { type OpenServices, openBackend, openServices } from './open-services.ts'
import { advertisedAddress, announce, serviceIpOf, urlHost } from './serving-files.ts'
import { shareCredentials, untilConflict } from './shared-credentials.ts'
import { secretsOf } from './shared-store.ts'

/** A worker that takes another's place waits this long, at most, until it can answer from memory. */
const FILL_MS = 30_000
/** Between two looks at --client-ca-file. */
const CLIENT_CA_MS = 5_000

/** Serves in this process, alone or as one of several workers, until it is told to stop. Resolves with the exit code. */
export async function serve(config: Config, log: Logger, link: WorkerLink | undefined): Promise<number> {
  const stopping = link ? workerStopSignal(link.stop) : stopSignal(log)
  const ended = new AbortController()
  void stopping.then(() => ended.abort())
  // While the store is opened, which is what the certificates have to wait for.
  const adminKeys = link ? undefined : beginAdminKeys(config.certDir)
  const encryption = await openEncryption(config, log)
  const backend = await openBackend(config, log)
  const agreed = config.etcd && secretsOf(config, backend, encryption.encryption)
  // Certificates are made while the rest is opened.
  const alone = link ? undefined : shareCredentials(config, agreed, log, ended.signal, adminKeys && { adminKeys })
  const begun = link?.begin ?? alone?.credentials.then(credentials => ({ ...config, credentials, fillFirst: false }))
  const services = await openServices(config, backend, encryption, agreed, log)
  const { plane, auth } = services
  const closeStore = async (): Promise<void> => {
    await Promise.all([plane.close(), encryption.close()])
  }
  const begin = await Promise.race([begun as Promise<WorkerBegin>, stopping])
  if (begin === undefined) {
    await closeStore()
    return 0
  }
  auth.connect(plane.registry.access())
  if (begin.fillFirst) await plane.synced(AbortSignal.timeout(FILL_MS)).catch(() => log.warn('serving before the caches are filled'))
  const shutdown = new Shutdown()
  const server = await listen({ config, log, link, begin, services, encryption, shutdown })
  if (link) {
    log.info('worker serves', { pid: process.pid })
    link.serving()
  }
  if (alone) await announce(config, await alone.credentials, server, log)
  followAuthorities({ config, begin, server, services, log }, ended.signal)
  collectWhenQuiet()
  plane.start({
    address: advertisedAddress(config),
    port: server.securePort,
    serviceIP: serviceIpOf(config),
    certificateAuthority: begin.credentials.serverCa,
  })
  const failure = await (alone ? untilConflict(alone.conflict, stopping) : stopping)
  const stopServing = (graceMs: number): Promise<void> => {
    plane.beginShutdown()
    return server.stop(graceMs)
  }
  await shutdown.run({ delayMs: config.shutdownDelayMs, graceMs: REQUEST_GRACE_MS, stopServing, closeStore, log })
  if (failure) throw failure
  return 0
}

interface Listening {
  readonly config: Config
  readonly log: Logger
  readonly link: WorkerLink | undefined
  readonly begin: WorkerBegin
  readonly services: OpenServices
  readonly encryption: EncryptionService
  readonly shutdown: Shutdown
}

/** Resolves when the ports are open. */
async function listen({ config, log, link, begin, services, encryption, shutdown }: Listening): Promise<RunningServer> {
  const { plane, auth, media } = services
  const health = new Health(log)
  health.add({ name: 'ping', check: () => {} }, { name: 'log', check: () => {} }, ...plane.checks, ...encryption.checks, {
    name: 'shutdown',
    endpoints: ['readyz'],
    check: () => {
      if (shutdown.isUnderWay) throw new Error('process is shutting down')
    },
  })
  let port = begin.securePort
  const server = await startServer({
    api: plane.api,
    isServed: plane.isServed,
    encodeStatus: statusEncoder(media),
    compressAnswers: config.gates.enabled('APIResponseCompression'),
    metrics: [plane, encryption, auth].flatMap(({ metrics = [] }) => metrics),
    authenticator: auth.authenticator,
    authorizer: auth.authorizer,
    issuerDocuments: () => auth.documents(`${config.externalHostname ?? urlHost(advertisedAddress(config))}:${port}`),
    health,
    version: versionInfo(process, config.gates),
    features: config.gates.states(),
    tls: begin.credentials.tls,
    http2: config.http2,
    bindAddress: config.bindAddress,
    ...(link && { sharedMetrics: link, handed: link.connections }),
    securePort: begin.securePort,
    insecurePort: begin.insecurePort === 0 ? undefined : begin.insecurePort,
    maxRequestsInFlight: config.maxRequestsInFlight,
    maxMutatingRequestsInFlight: config.maxMutatingRequestsInFlight,
    requestTimeoutMs: config.requestTimeoutMs,
    log,
    logRequests: config.verbosity >= 3,
  })
  port = server.securePort
  return server
}

/** Takes note of changes of --client-ca-file until the signal aborts. */
function followAuthorities(
  { config, begin, server, services, log }: Pick<Listening, 'config' | 'begin' | 'services' | 'log'> & { readonly server: RunningServer },
  signal: AbortSignal,
): void {
  const { clientCaFile: file } = config
  const { ownCa, tls } = begin.credentials
  if (file === undefined) return
  void followClientCa(
    {
      file,
      ownCa: ownCa.cert,
      clientCa: tls.clientCa,
      intervalMs: CLIENT_CA_MS,
      log,
      onChange(clientCa, authorities) {
        server.believe(clientCa)
        services.auth.believe(authorities)
      },
    },
    signal,
  )
}
