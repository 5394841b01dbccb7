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
import { AuthMetrics } from './auth-metrics.ts'
import { buildMetrics, HandshakeErrors } from './build-metrics.ts'
import type { ServedConsole } from './console/served-console.ts'
import { expositionOf } from './exposition.ts'
import { Deadlines } from './filters/deadline.ts'
import type { Faults } from './filters/faults.ts'
import type { ImpersonationMode } from './filters/impersonation.ts'
import { InFlight } from './filters/in-flight.ts'
import { marksOf } from './filters/priority-and-fairness.ts'
import { type ChainOptions, handlerChain, type ServingConduct } from './handler-chain.ts'
import type { Health } from './health.ts'
import type { Http2Stack } from './http2-stacks.ts'
import { createInsecurePort, createSecurePort, open, type Port, type SecurePortOptions, serveHanded } from './listeners.ts'
import { exposedFamilies, type MetricExposure } from './metric-exposure.ts'
import type { ServedMounts } from './mounts/served-mounts.ts'
import { RequestMetrics } from './request-metrics.ts'
import { RequestsInProgress } from './requests-in-progress.ts'
import type { StatusEncoder } from './status-body.ts'
import type { AuthorityMaterial } from './tls/authorities.ts'
import type { ServedCertificates } from './tls/follow-serving-files.ts'
import { ServingCertificates } from './tls/serving-certificates.ts'
import type { TlsMaterial } from './tls/tls-material.ts'
import type { TlsPolicy } from './tls/tls-policy.ts'
import type { Tracing } from './tracing/tracing.ts'
import type { VersionInfo } from './version.ts'
import type { PortName } from './workers/messages.ts'
import type { ConnectionSource, SharedMetrics } from './workers/worker-link.ts'

export interface ServerOptions {
  readonly api: Api
  /** Whether the API has a route for a request: metrics have labels for no others. */
  readonly isServed: (info: ResourceRequestInfo) => boolean
  /** Calls its argument for each version of a kind that is served no more. */
  readonly followGone: (gone: (version: GoneVersion) => void) => void
  readonly encodeStatus: StatusEncoder
  /** Long answers are compressed for who accepts it (gate APIResponseCompression). */
  readonly compressAnswers: boolean
  /** What long answers are written in: of this server alone. */
  readonly memory: BufferPool
  /** Absent: nothing fails on purpose. */
  readonly faults?: Faults | undefined
  /** Absent: nobody takes down what requests go through. */
  readonly recent?: RecentRequests | undefined
  /** For tests: writes come in one by one, each when this has resolved after the one before. Absent: as they come. */
  readonly settled?: (() => Promise<void>) | undefined
  /** Of the times at which requests come, as the API shows them. Default: the machine's. */
  readonly clock?: Clock | undefined
  readonly authenticator: Authenticator
  /** Names of fields by which front proxies say for whom requests are, besides the standard ones. */
  readonly isHidden?: ((field: string) => boolean) | undefined
  readonly authorizer: Authorizer
  /** Absent: nothing is audited. */
  readonly auditor?: Auditor | undefined
  readonly health: Health
  readonly version: VersionInfo
  /** The feature gates that it runs with. */
  readonly features: readonly FeatureState[]
  readonly impersonation: ImpersonationMode
  /** Errors say what those of 1.34 and later do. Absent: those of releases before. */
  readonly laterWords?: boolean
  /** Who signs tokens of service accounts, and with what; asked with each request for it. */
  readonly issuerDocuments?: () => Promise<IssuerDocuments | undefined>
  readonly ownRoutes?: readonly OwnRoute[]
  /** Control planes below paths of this server; absent: none. */
  readonly mounts?: ServedMounts | undefined
  /** Beside those of requests and of the process. */
  readonly metrics: readonly MetricFamily[]
  /** Which of them are shown; absent: all, as they are declared. */
  readonly exposure?: MetricExposure
  /** Where others serve the same port: a scrape returns the figures of all. */
  readonly sharedMetrics?: SharedMetrics
  readonly tls: TlsMaterial
  /** Absent: TLS 1.2 and later, with what is secure today. */
  readonly tlsPolicy?: TlsPolicy
  /** Undefined: HTTP/1.1 alone. */
  readonly http2: Http2Stack | undefined
  /** Requests of a connection of HTTP/2 that may be open at once. Absent: 1000. */
  readonly maxStreams?: number
  readonly conduct?: ServingConduct
  readonly tracing?: Tracing | undefined
  /** Optional. Omitted if the console is off. */
  readonly console?: ConsolePort | undefined
  /** Where somebody else holds a port, as another process: what that hands on of it. Absent, and undefined: this server listens. */
  readonly handed?: ((port: PortName, number: number) => ConnectionSource | undefined) | undefined
  readonly bindAddress: string
  /** 0: one that is free. */
  readonly securePort: number
  /** Undefined: no plain HTTP. 0: one that is free. */
  readonly insecurePort: number | undefined
  /** Priority and fairness, in place of the two limits below; absent: it is off. */
  readonly flowLimits?: FlowLimits | undefined
  readonly maxRequestsInFlight: number
  readonly maxMutatingRequestsInFlight: number
  readonly requestTimeoutMs: number
  readonly log: Logger
  readonly logRequests: boolean
}

/** The console has a port of its own, so that no page of a backend is of its origin. */
export interface ConsolePort {
  readonly served: ServedConsole
  /** 0: one that is free. */
  readonly port: number
}

export interface RunningServer {
  readonly securePort: number
  readonly insecurePort: number | undefined
  /** Undefined without a console. */
  readonly consolePort: number | undefined
  /** What it counts, as it is declared: whichever of it is shown. Those of the process are not among them. */
  readonly families: readonly MetricFamily[]
  /** PEM of the CAs whose client certificates are believed of connections that begin from now on. */
  believe(authorities: AuthorityMaterial): void
  /** Certificates of connections that begin from now on. Throws where a key does not belong to its certificate. */
  show(served: ServedCertificates): void
  /** Takes no more connections, ends watches, waits for requests in progress up to `graceMs`, and cuts what is left. */
  stop(graceMs: number): Promise<void>
}

/** Who makes the requests of the insecure port, as kube-apiserver called it when it had one. */
const UNSECURED: User = { name: 'system:unsecured', groups: [MASTERS, 'system:authenticated'] }
const LOOPBACK = '127.0.0.1'
/** For clients to take the last bytes and leave, when all is answered. */
const LAST_BYTES_MS = 250

/** The chain of the console's port: it knows the console's sessions and no other credentials, so that a browser cannot be made to present any. */
const consoleChain = (options: ChainOptions, console: ServedConsole): ChainOptions => ({
  ...options,
  console,
  authenticator: console.authenticator,
  ...(options.conduct && { conduct: { ...options.conduct, corsOrigins: [] } }),
})

/** Serves on HTTPS and, where asked for, on plain HTTP. Resolves when both listen. */
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
      // What was answered last is on its way to the kernel.
      await Promise.race([closed, sleep(LAST_BYTES_MS, undefined, { ref: false })])
      for (const port of ports) port.destroy()
      await closed
    },
  }
}
