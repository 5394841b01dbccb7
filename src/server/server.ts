import { setTimeout as sleep } from 'node:timers/promises'
import type { MetricFamily } from '../lib/metrics.ts'
import { MASTERS } from '../meta/authorizer.ts'
import type { User } from '../meta/context.ts'
import { createApp } from './app.ts'
import { createInsecurePort, createSecurePort, open, type Port, type SecurePortOptions, serveHanded } from './connections/listeners.ts'
import type { ServedConsole } from './console/served-console.ts'
import { Deadlines } from './filters/deadline.ts'
import { InFlight } from './filters/in-flight.ts'
import { marksOf } from './filters/priority-and-fairness.ts'
import { handlerChain } from './handler-chain.ts'
import { AuthMetrics } from './metrics/auth-metrics.ts'
import { buildMetrics, HandshakeErrors } from './metrics/build-metrics.ts'
import { expositionOf } from './metrics/exposition.ts'
import { exposedFamilies } from './metrics/metric-exposure.ts'
import { RequestMetrics } from './metrics/request-metrics.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import type { ChainOptions, ServerOptions } from './server-options.ts'
import type { AuthorityMaterial } from './tls/authorities.ts'
import type { ServedCertificates } from './tls/follow-serving-files.ts'
import { ServingCertificates } from './tls/serving-certificates.ts'

/** A server that listens on its ports. */
export interface RunningServer {
  readonly securePort: number
  readonly insecurePort: number | undefined
  /** Undefined if the console is off. */
  readonly consolePort: number | undefined
  /** Metrics of the server as declared, regardless of their exposure. Metrics of the process are not included. */
  readonly families: readonly MetricFamily[]
  /** Replaces the trusted client CAs, for new connections. */
  believe(authorities: AuthorityMaterial): void
  /** Replaces the serving certificates, for new connections. Throws if a key does not match its certificate. */
  show(served: ServedCertificates): void
  /**
   * Stops accepting connections, ends watches, waits up to `graceMs` for requests in progress, and closes what is left.
   */
  stop(graceMs: number): Promise<void>
}

/** User of requests on the insecure port, as in kube-apiserver when it had one. */
const UNSECURED: User = { name: 'system:unsecured', groups: [MASTERS, 'system:authenticated'] }
const LOOPBACK = '127.0.0.1'
/** Time for clients to read the last bytes and close, after all requests are complete. */
const LAST_BYTES_MS = 250

/**
 * Options of the console port's chain. It only accepts the console's sessions: a browser cannot be made to present
 * other credentials.
 */
const consoleChain = (options: ChainOptions, console: ServedConsole): ChainOptions => ({
  ...options,
  console,
  access: { ...options.access, authenticator: console.authenticator },
  http: { ...options.http, conduct: { ...options.http.conduct, corsOrigins: [] } },
})

/** Serves HTTPS and, if enabled, plain HTTP and the console. Resolves when all ports listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { endpoints, limits, observability } = options
  const { flowLimits } = limits
  const inFlight = new InFlight(limits.maxInFlight, limits.maxMutatingInFlight)
  const marks = marksOf(flowLimits?.metrics)
  const metrics = new RequestMetrics(flowLimits ? marks.executing : inFlight, endpoints.isServed, flowLimits && marks.waiting)
  endpoints.followGone(version => metrics.forget(version))
  const authMetrics = new AuthMetrics()
  const handshakes = new HandshakeErrors()
  const build = buildMetrics(endpoints.version, observability.features)
  const families = [...build, ...metrics.families(), ...authMetrics.families(), handshakes.family(), ...observability.metrics]
  const requests = new RequestsInProgress()
  const { exposure, sharedMetrics } = observability
  const exposition = expositionOf(exposure ? exposedFamilies(families, exposure) : families, sharedMetrics, exposure?.disabled)
  const shared: ChainOptions = {
    ...options,
    inFlight,
    marks,
    metrics,
    authMetrics,
    requests,
    deadlines: new Deadlines(requests.all),
    exposition,
  }

  const certificates = new ServingCertificates(options.tls.material, options.tls.policy)
  const { ports, tlsServers } = await openPorts(options, shared, certificates, () => handshakes.count++)
  const all = Object.values(ports).filter(port => port !== undefined)
  return {
    securePort: ports.secure.port,
    insecurePort: ports.insecure?.port,
    consolePort: ports.console?.port,
    families,
    believe: authorities => certificates.change(tlsServers, authorities),
    show: served => certificates.change(tlsServers, served),
    async stop(graceMs) {
      const closed = Promise.all(all.map(port => port.close()))
      await requests.drain(graceMs)
      for (const port of all) port.finish()
      // The last responses may still be in the sockets' buffers.
      await Promise.race([closed, sleep(LAST_BYTES_MS, undefined, { ref: false })])
      for (const port of all) port.destroy()
      await closed
    },
  }
}

interface OpenPorts {
  readonly ports: { readonly secure: Port; readonly insecure: Port | undefined; readonly console: Port | undefined }
  /** Servers whose certificates can be replaced. */
  readonly tlsServers: readonly ReturnType<typeof createSecurePort>[]
}

/** Opens the ports that are enabled. */
async function openPorts(
  options: ServerOptions,
  shared: ChainOptions,
  certificates: ServingCertificates,
  onHandshakeError: () => void,
): Promise<OpenPorts> {
  const { endpoints, http } = options
  const { handed, bindAddress, console } = options.ports
  const appOf = (chain: ChainOptions): ReturnType<typeof createApp> => {
    const app = createApp(handlerChain(chain), options.log)
    return endpoints.mounts ? endpoints.mounts.serving(app, chain) : app
  }
  const tlsOptions: SecurePortOptions = {
    certificates,
    http2: http.http2,
    maxStreams: http.maxStreams,
    onHandshakeError,
  }
  const secureServer = createSecurePort(appOf(shared), {
    ...tlsOptions,
    ...(endpoints.api.passesOn && { passesOn: endpoints.api.passesOn }),
  })
  const source = handed?.('secure', options.ports.secure)
  const secure = source ? serveHanded(secureServer, source) : await open(secureServer, options.ports.secure, bindAddress)
  const tlsServers = [secureServer]
  let consolePort: Port | undefined
  if (console) {
    const app = createApp(handlerChain(consoleChain(shared, console.served)), options.log)
    const server = createSecurePort(app, { ...tlsOptions, asksCertificates: false })
    tlsServers.push(server)
    consolePort = await open(server, console.port, bindAddress)
  }
  let insecure: Port | undefined
  if (options.ports.insecure !== undefined) {
    const server = createInsecurePort(appOf({ ...shared, trusted: UNSECURED }), endpoints.api.passesOn)
    const plain = handed?.('insecure', options.ports.insecure)
    insecure = plain ? serveHanded(server, plain) : await open(server, options.ports.insecure, LOOPBACK)
  }
  return { ports: { secure, insecure, console: consolePort }, tlsServers }
}
