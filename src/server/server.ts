import { setTimeout as sleep } from 'node:timers/promises'
import type { Auditor } from '../audit/auditor.ts'
import type { Authenticator } from '../auth/authn/authenticator.ts'
import type { IssuerDocuments } from '../auth/authn/service-account/discovery.ts'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { Api } from '../endpoints/api.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import type { FlowLimits } from '../flow/flow-limits.ts'
import type { BufferPool } from '../lib/buffer-pool.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { FeatureState } from '../lifecycle/gates.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import { MASTERS } from '../meta/authorizer.ts'
import type { ResourceRequestInfo, User } from '../meta/context.ts'
import type { RecentRequests } from '../why/recent-requests.ts'
import { createApp } from './app.ts'
import type { ConnectionSource, PortName } from './connections/connection-source.ts'
import type { Http2Stack } from './connections/http2-stacks.ts'
import { createInsecurePort, createSecurePort, open, type Port, type SecurePortOptions, serveHanded } from './connections/listeners.ts'
import type { ServedConsole } from './console/served-console.ts'
import { Deadlines } from './filters/deadline.ts'
import type { Faults } from './filters/faults.ts'
import type { ImpersonationMode } from './filters/impersonation.ts'
import { InFlight } from './filters/in-flight.ts'
import { marksOf } from './filters/priority-and-fairness.ts'
import { type ChainOptions, handlerChain, type ServingConduct } from './handler-chain.ts'
import type { Health } from './health.ts'
import type { StatusEncoder } from './http/status-body.ts'
import { AuthMetrics } from './metrics/auth-metrics.ts'
import { buildMetrics, HandshakeErrors } from './metrics/build-metrics.ts'
import { expositionOf } from './metrics/exposition.ts'
import { exposedFamilies, type MetricExposure } from './metrics/metric-exposure.ts'
import { RequestMetrics } from './metrics/request-metrics.ts'
import type { SharedMetrics } from './metrics/shared-metrics.ts'
import type { ServedMounts } from './mounts/served-mounts.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import type { AuthorityMaterial } from './tls/authorities.ts'
import type { ServedCertificates } from './tls/follow-serving-files.ts'
import { ServingCertificates } from './tls/serving-certificates.ts'
import type { TlsMaterial } from './tls/tls-material.ts'
import type { TlsPolicy } from './tls/tls-policy.ts'
import type { Tracing } from './tracing/tracing.ts'
import type { VersionInfo } from './version.ts'

export interface ServerOptions {
  readonly api: Api
  /** Whether the API has a route for a request. Metrics only have resource labels for such requests. */
  readonly isServed: (info: ResourceRequestInfo) => boolean
  /** Registers a function that is called for each version of a kind that is no longer served. */
  readonly followGone: (gone: (version: GoneVersion) => void) => void
  readonly encodeStatus: StatusEncoder
  /** Whether long responses are compressed if the client accepts it (gate APIResponseCompression). */
  readonly compressAnswers: boolean
  /** Buffers for long responses, owned by this server. */
  readonly memory: BufferPool
  /** Omitted if fault injection is off. */
  readonly faults?: Faults | undefined
  /** Optional. Records each step of recent requests for `binnacle why`. */
  readonly recent?: RecentRequests | undefined
  /** Optional, for tests. Resolves when the effects of a write are complete; writes are serialized and wait for it. */
  readonly settled?: (() => Promise<void>) | undefined
  /** Clock of request times that the API shows. Defaults to the system clock. */
  readonly clock?: Clock | undefined
  readonly authenticator: Authenticator
  /** Optional. Whether a header, by its name in lower case, is one with which front proxies assert users, besides the standard ones. */
  readonly isHidden?: ((field: string) => boolean) | undefined
  readonly authorizer: Authorizer
  /** Omitted if auditing is off. */
  readonly auditor?: Auditor | undefined
  readonly health: Health
  readonly version: VersionInfo
  /** Feature gates of the server. */
  readonly features: readonly FeatureState[]
  readonly impersonation: ImpersonationMode
  /** Whether error messages follow 1.34 and later. Defaults to false. */
  readonly laterWords?: boolean
  /** Optional. Returns the discovery documents of the service account token issuer. Called for each request. */
  readonly issuerDocuments?: () => Promise<IssuerDocuments | undefined>
  /** Optional. Routes of the server's own services, such as `why`. */
  readonly ownRoutes?: readonly OwnRoute[]
  /** Optional. Control planes that are mounted below paths of this server. */
  readonly mounts?: ServedMounts | undefined
  /** Metrics besides those of requests and of the process. */
  readonly metrics: readonly MetricFamily[]
  /** Optional. Determines which metrics are exposed. Defaults to all, as declared. */
  readonly exposure?: MetricExposure
  /** Set if several processes serve the port: a scrape returns the sums of all. */
  readonly sharedMetrics?: SharedMetrics
  readonly tls: TlsMaterial
  /** Defaults to TLS 1.2 and later, with secure cipher suites. */
  readonly tlsPolicy?: TlsPolicy
  /** Undefined if only HTTP/1.1 is served. */
  readonly http2: Http2Stack | undefined
  /** Concurrent streams of an HTTP/2 connection. Defaults to 1000. */
  readonly maxStreams?: number
  readonly conduct?: ServingConduct
  readonly tracing?: Tracing | undefined
  /** Optional. Omitted if the console is off. */
  readonly console?: ConsolePort | undefined
  /** Optional. Returns the connections of a port that another process holds. If it returns undefined, or is omitted, this server listens itself. */
  readonly handed?: ((port: PortName, number: number) => ConnectionSource | undefined) | undefined
  readonly bindAddress: string
  /** 0 chooses a free port. */
  readonly securePort: number
  /** Port of plain HTTP. Undefined if it is off; 0 chooses a free port. */
  readonly insecurePort: number | undefined
  /** Priority and fairness, which replaces the two limits below. Omitted if it is off. */
  readonly flowLimits?: FlowLimits | undefined
  readonly maxRequestsInFlight: number
  readonly maxMutatingRequestsInFlight: number
  readonly requestTimeoutMs: number
  readonly log: Logger
  readonly logRequests: boolean
}

/** The console has its own port, so that no page of a backend shares its origin. */
export interface ConsolePort {
  readonly served: ServedConsole
  /** 0 chooses a free port. */
  readonly port: number
}

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
  /** Stops accepting connections, ends watches, waits up to `graceMs` for requests in progress, and closes what is left. */
  stop(graceMs: number): Promise<void>
}

/** User of requests on the insecure port, as in kube-apiserver when it had one. */
const UNSECURED: User = { name: 'system:unsecured', groups: [MASTERS, 'system:authenticated'] }
const LOOPBACK = '127.0.0.1'
/** Time for clients to read the last bytes and close, after all requests are complete. */
const LAST_BYTES_MS = 250

/** Options of the console port's chain. It only accepts the console's sessions: a browser cannot be made to present other credentials. */
const consoleChain = (options: ChainOptions, console: ServedConsole): ChainOptions => ({
  ...options,
  console,
  authenticator: console.authenticator,
  ...(options.conduct && { conduct: { ...options.conduct, corsOrigins: [] } }),
})

/** Serves HTTPS and, if enabled, plain HTTP and the console. Resolves when all ports listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const inFlight = new InFlight(options.maxRequestsInFlight, options.maxMutatingRequestsInFlight)
  const marks = marksOf(options.flowLimits?.metrics)
  const metrics = new RequestMetrics(options.flowLimits ? marks.executing : inFlight, options.isServed, options.flowLimits && marks.waiting)
  options.followGone(version => metrics.forget(version))
  const authMetrics = new AuthMetrics()
  const handshakes = new HandshakeErrors()
  const build = buildMetrics(options.version, options.features)
  const families = [...build, ...metrics.families(), ...authMetrics.families(), handshakes.family(), ...options.metrics]
  const requests = new RequestsInProgress()
  const { exposure } = options
  const exposition = expositionOf(exposure ? exposedFamilies(families, exposure) : families, options.sharedMetrics, exposure?.disabled)
  const { console, ...others } = options
  const shared: ChainOptions = { ...others, inFlight, marks, metrics, authMetrics, requests, deadlines: new Deadlines(requests.all), exposition }

  const ports: Port[] = []
  const { handed } = options
  const certificates = new ServingCertificates(options.tls, options.tlsPolicy)
  const appOf = (chain: ChainOptions): ReturnType<typeof createApp> => {
    const app = createApp(handlerChain(chain), options.log)
    return options.mounts ? options.mounts.serving(app, chain) : app
  }
  const tlsOptions: SecurePortOptions = {
    certificates,
    http2: options.http2,
    ...(options.maxStreams !== undefined && { maxStreams: options.maxStreams }),
    onHandshakeError: () => handshakes.count++,
  }
  const secureServer = createSecurePort(appOf(shared), { ...tlsOptions, ...(options.api.passesOn && { passesOn: options.api.passesOn }) })
  const source = handed?.('secure', options.securePort)
  const secure = source ? serveHanded(secureServer, source) : await open(secureServer, options.securePort, options.bindAddress)
  ports.push(secure)
  const tlsServers = [secureServer]
  let consolePort: Port | undefined
  if (console) {
    const app = createApp(handlerChain(consoleChain(shared, console.served)), options.log)
    const server = createSecurePort(app, { ...tlsOptions, asksCertificates: false })
    tlsServers.push(server)
    consolePort = await open(server, console.port, options.bindAddress)
    ports.push(consolePort)
  }
  let insecure: Port | undefined
  if (options.insecurePort !== undefined) {
    const server = createInsecurePort(appOf({ ...shared, trusted: UNSECURED }), options.api.passesOn)
    const plain = handed?.('insecure', options.insecurePort)
    insecure = plain ? serveHanded(server, plain) : await open(server, options.insecurePort, LOOPBACK)
    ports.push(insecure)
  }
  return {
    securePort: secure.port,
    insecurePort: insecure?.port,
    consolePort: consolePort?.port,
    families,
    believe: authorities => certificates.change(tlsServers, authorities),
    show: served => certificates.change(tlsServers, served),
    async stop(graceMs) {
      const closed = Promise.all(ports.map(port => port.close()))
      await requests.drain(graceMs)
      for (const port of ports) port.finish()
      // The last responses may still be in the sockets' buffers.
      await Promise.race([closed, sleep(LAST_BYTES_MS, undefined, { ref: false })])
      for (const port of ports) port.destroy()
      await closed
    },
  }
}
