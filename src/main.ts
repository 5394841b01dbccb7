import { mkdir, readFile } from 'node:fs/promises'
import { hostname, networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { type Auth, openAuth } from './auth-services.ts'
import { type MediaOffer, mediaOffer } from './codec/negotiate.ts'
import { readCommandLine, usage } from './config/command-line.ts'
import type { Config } from './config/config.ts'
import { FlagError } from './config/parse-flags.ts'
import { type ControlPlane, createControlPlane } from './control-plane.ts'
import { type EncryptionServices, openEncryption } from './encryption-services.ts'
import type { Kubelets } from './endpoints/connect/ask.ts'
import { statusEncoder } from './endpoints/status-output.ts'
import { systemClock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import { createLogger } from './lib/structured-log.ts'
import { LifecycleError } from './lifecycle/gates.ts'
import { Health } from './server/health.ts'
import { kubeconfig } from './server/kubeconfig.ts'
import { startServer } from './server/server.ts'
import { Shutdown } from './server/shutdown.ts'
import { ADMIN_USER, loadCredentials, writePrivate } from './server/tls/material.ts'
import { servingNames } from './server/tls/names.ts'
import { GIT_VERSION, versionInfo } from './server/version.ts'
import type { Backend } from './storage/backend.ts'
import { openEmbedded } from './storage/embedded/open-embedded.ts'
import { openEtcd } from './storage/etcd/open-etcd.ts'

const DEFAULT_SERVICE_RANGE = '10.0.0.0/24'
/** Requests in progress get this long, at most, when the server ends. */
const GRACE_MS = 60_000

/** The store, opened, and the control plane over it. */
async function openControlPlane(
  config: Config,
  media: MediaOffer,
  { authorizer, rules, services }: Auth,
  { encryption }: EncryptionServices,
  log: Logger,
): Promise<ControlPlane> {
  return createControlPlane({
    backend: await openBackend(config, log),
    clock: systemClock,
    logger: log,
    release: config.emulatedVersion,
    gates: config.gates,
    runtimeConfig: config.runtimeConfig,
    etcdPrefix: config.etcdPrefix,
    storedAs: config.storedAs,
    encryption,
    fingerprint: GIT_VERSION,
    isCached: resource => config.watchCache && !config.withoutWatchCache.has(resource),
    compactionIntervalMs: config.compactionIntervalMs,
    eventTtlSeconds: Math.ceil(config.eventTtlMs / 1000),
    serviceCIDRs: config.serviceClusterIpRanges,
    nodePorts: config.serviceNodePorts,
    controllers: config.controllers,
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
  if (etcd === undefined) return openEmbedded({ dir: join(dataDir, 'store') }, systemClock, log)
  const { servers, caFile, certFile, keyFile } = etcd
  return openEtcd(
    { servers, ...(caFile !== undefined && { caFile }), ...(certFile !== undefined && { certFile }), ...(keyFile !== undefined && { keyFile }) },
    log,
  )
}

/** Runs the program. Resolves with the exit code when it has ended. */
async function main(argv: readonly string[]): Promise<number> {
  let command: ReturnType<typeof readCommandLine>
  try {
    command = readCommandLine(argv)
  } catch (error) {
    if (!(error instanceof FlagError)) throw error
    process.stderr.write(`Error: ${error.message}\n`)
    return 1
  }
  switch (command.action) {
    case 'help':
      process.stdout.write(usage())
      return 0
    case 'version':
      process.stdout.write(`Kubernetes ${GIT_VERSION}\n`)
      return 0
    case 'serve': {
      const { config, ignored } = command
      const log = createLogger({
        verbosity: config.verbosity,
        format: config.loggingFormat,
        write: line => process.stderr.write(line),
        now: Date.now,
      })
      for (const resource of config.droppedWatchCacheSizes) log.warn('a size of the watch cache has no effect: it has no fixed one', { resource })
      if (ignored.length > 0) log.info('flags without effect', { flags: ignored.map(name => `--${name}`).join(' ') })
      return serve(config, log)
    }
  }
}

async function serve(config: Config, log: Logger): Promise<number> {
  const stopping = stopSignal(log)
  const credentialsReady = loadCredentials({
    directory: config.certDir,
    names: servingNames({
      hostname: config.externalHostname ?? hostname(),
      bindAddress: config.bindAddress,
      advertiseAddress: config.advertiseAddress,
      serviceIp: firstAddress(config.serviceClusterIpRanges[0] ?? DEFAULT_SERVICE_RANGE),
    }),
    ...(config.servingFiles !== undefined && { servingFiles: config.servingFiles }),
    ...(config.clientCaFile !== undefined && { clientCaFile: config.clientCaFile }),
  })
  const media = mediaOffer({ cbor: config.gates.enabled('CBORServingAndStorage'), domain: config.domain })
  const auth = await openAuth(config, systemClock, log)
  const encryption = await openEncryption(config, log)
  const [credentials, plane] = await Promise.all([credentialsReady, openControlPlane(config, media, auth, encryption, log)])
  auth.connect(plane.registry.access())
  let port = config.securePort
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
    handler: plane.handler,
    encodeStatus: statusEncoder(media),
    compressAnswers: config.gates.enabled('APIResponseCompression'),
    metrics: [...plane.metrics, ...encryption.metrics],
    authenticator: auth.authenticator,
    authorizer: auth.authorizer,
    issuerDocuments: () => auth.documents(`${config.externalHostname ?? urlHost(advertisedAddress(config))}:${port}`),
    health,
    version: versionInfo(process),
    tls: credentials.tls,
    bindAddress: config.bindAddress,
    securePort: config.securePort,
    insecurePort: config.insecurePort === 0 ? undefined : config.insecurePort,
    maxRequestsInFlight: config.maxRequestsInFlight,
    maxMutatingRequestsInFlight: config.maxMutatingRequestsInFlight,
    requestTimeoutMs: config.requestTimeoutMs,
    log,
    logRequests: config.verbosity >= 3,
  })
  port = server.securePort
  const url = `https://${urlHost(config.bindAddress)}:${server.securePort}`
  await mkdir(dirname(config.kubeconfigOut), { recursive: true })
  await writePrivate(config.kubeconfigOut, kubeconfig({ server: url, ca: credentials.serverCa, user: ADMIN_USER, ...credentials.admin }))
  log.info('serving', {
    url,
    kubeconfig: config.kubeconfigOut,
    ...(server.insecurePort !== undefined && { insecure: `http://127.0.0.1:${server.insecurePort}` }),
  })
  log.info(`to use it: export KUBECONFIG=${config.kubeconfigOut}; kubectl get namespaces`)

  plane.start({
    address: advertisedAddress(config),
    port: server.securePort,
    serviceIP: firstAddress(config.serviceClusterIpRanges[0] ?? DEFAULT_SERVICE_RANGE),
    certificateAuthority: credentials.serverCa,
  })
  await stopping
  await shutdown.run({
    delayMs: config.shutdownDelayMs,
    graceMs: GRACE_MS,
    stopServing: graceMs => {
      plane.beginShutdown()
      return server.stop(graceMs)
    },
    closeStore: async () => {
      await Promise.all([plane.close(), encryption.close()])
    },
    log,
  })
  return 0
}

/** Resolves at the first SIGTERM or SIGINT; the second one ends the process on the spot. */
function stopSignal(log: Logger): Promise<void> {
  return new Promise(resolve => {
    let asked = false
    const stop = (name: string): void => {
      if (asked) {
        log.warn('told twice to stop', { signal: name })
        process.exit(1)
      }
      asked = true
      log.info('told to stop', { signal: name })
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

const urlHost = (address: string): string => (address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address)

/** Where other machines reach this one: as configured, or its first address that is no loopback. */
function advertisedAddress(config: Config): string {
  if (config.advertiseAddress !== undefined) return config.advertiseAddress
  for (const addresses of Object.values(networkInterfaces()))
    for (const { address, family, internal } of addresses ?? []) if (family === 'IPv4' && !internal) return address
  return config.bindAddress
}

/** The first usable address of a range: `10.0.0.1` of 10.0.0.0/24, `fd00::1` of fd00::/112. */
const firstAddress = (range: string): string => {
  const network = range.split('/')[0] ?? ''
  return network.includes(':') ? network.replace(/::$/, '::1') : network.replace(/\d+$/, last => String(Number(last) + 1))
}

/** What the system or the store refuses is the user's to mend; anything else is a bug, and its place is told. */
function tell(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error || error instanceof LifecycleError ? error.message : (error.stack ?? error.message)
}

void main(process.argv.slice(2))
  .catch((error: unknown) => {
    process.stderr.write(`Error: ${tell(error)}\n`)
    return 1
  })
  .then(code => {
    process.exitCode = code
  })
