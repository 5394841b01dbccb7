import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type MediaOffer, mediaOffer } from './codec/negotiate.ts'
import type { Config } from './config/config.ts'
import { FlagError } from './config/parse-flags.ts'
import { type Auth, openAuth } from './control-plane/auth-services.ts'
import { type ControlPlane, createControlPlane } from './control-plane/control-plane.ts'
import { type EncryptionServices, openEncryption } from './control-plane/encryption-services.ts'
import type { Kubelets } from './endpoints/connect/ask.ts'
import { statusEncoder } from './endpoints/status-encoder.ts'
import { systemClock } from './lib/clock.ts'
import { collectWhenQuiet } from './lib/collect-when-quiet.ts'
import { errorMessage } from './lib/error-message.ts'
import type { Logger } from './lib/log.ts'
import { makePrivateDirectory } from './lib/private-file.ts'
import { runPrimary } from './process/primary.ts'
import { runProgram } from './process/program.ts'
import { advertisedAddress, announce, serviceIpOf, urlHost } from './process/serving-files.ts'
import { shareCredentials, untilConflict } from './process/shared-credentials.ts'
import { etcdOptionsOf, secretsOf } from './process/shared-store.ts'
import { Health } from './server/health.ts'
import { startServer } from './server/server.ts'
import { REQUEST_GRACE_MS, Shutdown } from './server/shutdown.ts'
import { stopSignal, workerStopSignal } from './server/stop-signal.ts'
import { followClientCa } from './server/tls/follow-client-ca.ts'
import { GIT_VERSION, versionInfo } from './server/version.ts'
import type { WorkerBegin } from './server/workers/messages.ts'
import { connectToPrimary, type WorkerLink } from './server/workers/worker-link.ts'
import type { Backend } from './storage/backend.ts'
import { openEmbedded } from './storage/embedded/open-embedded.ts'
import { openEtcd } from './storage/etcd/open-etcd.ts'

/** With so many custom kinds the heap holds much more than without any. */
const MANY_CUSTOM_KINDS = 50

/**
 * Old objects are collected when they have grown by so much since the last time. Left to itself V8 lets them grow to four times as much where memory is plenty: with 250 definitions in use
 * 800 MB were resident, of which 270 were needed. Costs a tenth to a fifth more CPU (`test/bench/definitions.ts`), and so is not for servers without many kinds, which need little.
 */
const collectSooner = (): void => setFlagsFromString('--heap-growing-percent=30')

/** A worker that takes another's place waits this long, at most, until it can answer from memory. */
const FILL_MS = 30_000
/** Between two looks at --client-ca-file. */
const CLIENT_CA_MS = 5_000

/** The store, opened, and the control plane over it. */
async function openControlPlane(
  config: Config,
  backend: Backend,
  media: MediaOffer,
  { authorizer, rules, services }: Auth,
  { encryption }: EncryptionServices,
  log: Logger,
): Promise<ControlPlane> {
  return createControlPlane({
    backend,
    clock: systemClock,
    logger: log,
    release: config.emulatedVersion,
    gates: config.gates,
    runtimeConfig: config.runtimeConfig,
    etcdPrefix: config.etcdPrefix,
    ...(config.etcd && { etcdServers: config.etcd.servers }),
    storedAs: config.storedAs,
    encryption,
    fingerprint: GIT_VERSION,
    isCached: resource => config.watchCache && !config.withoutWatchCache.has(resource),
    compactionIntervalMs: config.compactionIntervalMs,
    eventTtlSeconds: Math.ceil(config.eventTtlMs / 1000),
    serviceCIDRs: config.serviceClusterIpRanges,
    nodePorts: config.serviceNodePorts,
    controllers: config.controllers,
    onCustomKinds: count => {
      if (count >= MANY_CUSTOM_KINDS) collectSooner()
    },
    admissionPlugins: config.admissionPlugins,
    tolerationSeconds: config.tolerationSeconds,
    exclusiveStore: config.etcd === undefined,
    minRequestTimeoutSeconds: config.minRequestTimeoutMs / 1000,
    media,
    kubelets: await kubeletsOf(config),
    auth: services,
    ...(rules && { rules }),
    isAllowed: async (user, info, signal) => (await authorizer.authorize(user, info, signal)).decision === 'allow',
  })
}

async function kubeletsOf({ kubelets: { addressTypes, port, caFile, client } }: Config): Promise<Kubelets> {
  const read = (file: string): Promise<string> => readFile(file, 'utf8')
  return {
    addressTypes,
    port,
    ...(caFile !== undefined && { certificateAuthority: await read(caFile) }),
    ...(client && { client: { cert: await read(client.cert), key: await read(client.key) } }),
  }
}

async function openBackend({ etcd, dataDir }: Config, log: Logger): Promise<Backend> {
  if (etcd !== undefined) return openEtcd(etcdOptionsOf(etcd), log)
  try {
    makePrivateDirectory(dataDir)
  } catch (error) {
    throw new FlagError(`--data-dir ${dataDir} cannot be made: ${errorMessage(error)}`)
  }
  return openEmbedded({ dir: join(dataDir, 'store') }, systemClock, log)
}

/** Serves in this process: alone, or as one of several workers. */
async function serve(config: Config, log: Logger, link: WorkerLink | undefined): Promise<number> {
  const stopping = link ? workerStopSignal(link.stop) : stopSignal(log)
  const encryption = await openEncryption(config, log)
  const backend = await openBackend(config, log)
  const agreed = config.etcd && secretsOf(config, backend, encryption.encryption)
  const ended = new AbortController()
  void stopping.then(() => ended.abort())
  const alone = link ? undefined : shareCredentials(config, agreed, log, ended.signal)
  const begun = link?.begin ?? alone?.credentials.then(credentials => ({ ...config, credentials, fillFirst: false }))
  const media = mediaOffer({ cbor: config.gates.enabled('CBORServingAndStorage'), domain: config.domain })
  const auth = await openAuth(config, systemClock, log, agreed)
  const plane = await openControlPlane(config, backend, media, auth, encryption, log)
  const closeStore = async (): Promise<void> => {
    await Promise.all([plane.close(), encryption.close()])
  }
  const begin = await Promise.race([begun as Promise<WorkerBegin>, stopping])
  if (begin === undefined) {
    await closeStore()
    return 0
  }
  const { credentials } = begin
  auth.connect(plane.registry.access())
  if (begin.fillFirst) await plane.synced(AbortSignal.timeout(FILL_MS)).catch(() => log.warn('serving before the caches are filled'))
  let port = begin.securePort
  const shutdown = new Shutdown()
  const health = new Health(log)
  health.add({ name: 'ping', check: () => {} }, { name: 'log', check: () => {} }, ...plane.checks, ...encryption.checks, {
    name: 'shutdown',
    endpoints: ['readyz'],
    check: () => {
      if (shutdown.isUnderWay) throw new Error('process is shutting down')
    },
  })
  const server = await startServer({
    api: plane.api,
    isServed: plane.isServed,
    encodeStatus: statusEncoder(media),
    compressAnswers: config.gates.enabled('APIResponseCompression'),
    metrics: [...plane.metrics, ...encryption.metrics, ...auth.metrics],
    authenticator: auth.authenticator,
    authorizer: auth.authorizer,
    issuerDocuments: () => auth.documents(`${config.externalHostname ?? urlHost(advertisedAddress(config))}:${port}`),
    health,
    version: versionInfo(process),
    features: config.gates.states(),
    tls: credentials.tls,
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
  if (link) {
    log.info('worker serves', { pid: process.pid })
    link.serving()
  }
  if (alone) await announce(config, await alone.credentials, server, log)

  const { clientCaFile } = config
  if (clientCaFile !== undefined)
    void followClientCa(
      {
        file: clientCaFile,
        ownCa: credentials.ownCa.cert,
        clientCa: credentials.tls.clientCa,
        intervalMs: CLIENT_CA_MS,
        log,
        onChange(clientCa, authorities) {
          server.believe(clientCa)
          auth.believe(authorities)
        },
      },
      ended.signal,
    )
  collectWhenQuiet()
  plane.start({
    address: advertisedAddress(config),
    port: server.securePort,
    serviceIP: serviceIpOf(config),
    certificateAuthority: credentials.serverCa,
  })
  const failure = await (alone ? untilConflict(alone.conflict, stopping) : stopping)
  await shutdown.run({
    delayMs: config.shutdownDelayMs,
    graceMs: REQUEST_GRACE_MS,
    stopServing: graceMs => {
      plane.beginShutdown()
      return server.stop(graceMs)
    },
    closeStore,
    log,
  })
  if (failure) throw failure
  return 0
}

/** What small buffers are cut from: Node's own 8 KB hold three objects, and making one costs more than filling it. */
Buffer.poolSize = 64 * 1024

/** Little survives a young collection here: helpers, once they have no processor to run on, hold it up ten times as long as they would help it. */
setFlagsFromString('--no-parallel-scavenge')

const link = connectToPrimary(process)
runProgram(process.argv.slice(2), {
  ...(link && { worker: link.number }),
  serve: (config, log) => (link === undefined && config.workers > 1 ? runPrimary(config, log) : serve(config, log, link)),
})
