import type { Auditor } from '../audit/auditor.ts'
import type { Authenticator } from '../auth/authn/authenticator.ts'
import type { GoneVersion } from '../catalog/gone-versions.ts'
import type { Api } from '../endpoints/api.ts'
import type { Faults } from '../faults/strike.ts'
import type { FlowLimits } from '../flow/flow-limits.ts'
import type { Logger } from '../lib/log.ts'
import type { MetricFamily } from '../lib/metrics.ts'
import type { FeatureState } from '../lifecycle/gates.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { ResourceRequestInfo, User } from '../meta/context.ts'
import type { Wording } from '../meta/wording.ts'
import type { RecentRequests } from '../why/recent-requests.ts'
import type { ConnectionSource, PortName } from './connections/connection-source.ts'
import type { Http2Stack } from './connections/http2-stacks.ts'
import type { ServedConsole } from './console/served-console.ts'
import type { Deadlines } from './filters/deadline.ts'
import type { ImpersonationMode } from './filters/impersonation.ts'
import type { InFlight } from './filters/in-flight.ts'
import type { RequestMarks } from './filters/priority-and-fairness.ts'
import type { Listener } from './http/any-http.ts'
import type { ExchangeHost } from './http/http-exchange.ts'
import type { AuthMetrics } from './metrics/auth-metrics.ts'
import type { MetricExposure } from './metrics/metric-exposure.ts'
import type { RequestMetrics } from './metrics/request-metrics.ts'
import type { SharedMetrics } from './metrics/shared-metrics.ts'
import type { RequestsInProgress } from './requests-in-progress.ts'
import type { ServerEndpoints } from './server-endpoints.ts'
import type { TlsMaterial } from './tls/tls-material.ts'
import type { TlsPolicy } from './tls/tls-policy.ts'
import type { Tracing } from './tracing/tracing.ts'

/** The API, and the other endpoints. */
export interface EndpointOptions extends Omit<ServerEndpoints, 'exposition' | 'flowLimits'> {
  /** Handlers of the API's verbs. */
  readonly api: Api
  /** Whether the API has a route for a request. Metrics only have resource labels for such requests. */
  readonly isServed: (info: ResourceRequestInfo) => boolean
  /** Registers a function that is called for each version of a kind that is no longer served. */
  readonly followGone: (gone: (version: GoneVersion) => void) => void
  /** Optional. Control planes that are mounted below paths of this server. */
  readonly mounts?: ServedMounts | undefined
}

/** Authentication and authorization of requests. */
export interface ServerAccess {
  /** Determines the user of a request. */
  readonly authenticator: Authenticator
  /** Decides on every request, except those of `system:masters`. */
  readonly authorizer: Authorizer
  /** Order and permissions of impersonation, which depend on the release. */
  readonly impersonation: ImpersonationMode
}

/** The console has its own port, so that no page of a backend shares its origin. */
export interface ConsolePort {
  /** Pages and requests of the console. */
  readonly served: ServedConsole
  /** 0 chooses a free port. */
  readonly port: number
}

/** Ports of the server. */
export interface PortOptions {
  /** IP address that the secure port and the console listen on. */
  readonly bindAddress: string
  /** 0 chooses a free port. */
  readonly secure: number
  /** Port of plain HTTP. Undefined if it is off; 0 chooses a free port. */
  readonly insecure: number | undefined
  /** Optional. Omitted if the console is off. */
  readonly console?: ConsolePort | undefined
  /**
   * Optional. Returns the connections of a port that another process holds. If it returns undefined, or is omitted,
   * this server listens itself.
   */
  readonly handed?: ((port: PortName, number: number) => ConnectionSource | undefined) | undefined
}

/** Response headers and connection policies. Empty and 0 change nothing. */
export interface ServingConduct {
  /** Directives of the Strict-Transport-Security header. */
  readonly hsts: readonly string[]
  /** Regular expressions for origins whose pages may read responses (CORS). */
  readonly corsOrigins: readonly string[]
  /** Share of HTTP/2 requests, from 0 to 1, after which the client is asked to open another connection. */
  readonly goawayChance: number
  /** Whether requests that change stored objects are refused. */
  readonly readOnly: boolean
}

/** HTTP of all ports. */
export interface HttpOptions {
  /** Undefined if only HTTP/1.1 is served. */
  readonly http2: Http2Stack | undefined
  /** Concurrent streams of an HTTP/2 connection. */
  readonly maxStreams: number
  /** Response headers and connection policies. */
  readonly conduct: ServingConduct
  /** Messages of errors. */
  readonly wording: Wording
}

/** TLS of the secure port and of the console. */
export interface TlsOptions {
  /** Certificates and keys, and the CAs of client certificates. */
  readonly material: TlsMaterial
  /** TLS versions and cipher suites. */
  readonly policy: TlsPolicy
}

/** Limits of requests. */
export interface LimitOptions {
  /** Priority and fairness, which replaces the two limits below. Undefined if it is off. */
  readonly flowLimits: FlowLimits | undefined
  /** Concurrent requests that only read. 0 for any number. */
  readonly maxInFlight: number
  /** Concurrent requests that write. 0 for any number. */
  readonly maxMutatingInFlight: number
  /** Deadline of requests that are not long-running, in milliseconds. */
  readonly timeoutMs: number
}

/** Records of requests, and metrics. */
export interface ObservabilityOptions {
  /** Omitted if auditing is off. */
  readonly auditor?: Auditor | undefined
  /** Optional. Records each step of recent requests for `binnacle why`. */
  readonly recent?: RecentRequests | undefined
  /** Omitted if tracing is off. */
  readonly tracing?: Tracing | undefined
  /** Whether every request is logged. */
  readonly logRequests: boolean
  /** Feature gates of the server. */
  readonly features: readonly FeatureState[]
  /** Metrics besides those of requests and of the process. */
  readonly metrics: readonly MetricFamily[]
  /** Optional. Determines which metrics are exposed. If omitted, all metrics are, as they are declared. */
  readonly exposure?: MetricExposure
  /** Set if several processes serve the port: a scrape returns the sums of all. */
  readonly sharedMetrics?: SharedMetrics
}

/** Deviations from ordinary service, for tests of clients. */
export interface SimulationOptions {
  /** Omitted if fault injection is off. */
  readonly faults?: Faults | undefined
  /** Optional. Resolves when the effects of a write are complete; writes are serialized and wait for it. */
  readonly settled?: (() => Promise<void>) | undefined
}

/** Parts and settings of the HTTP server, in groups. */
export interface ServerOptions {
  /** The API, health checks, discovery and others. */
  readonly endpoints: EndpointOptions
  /** Parts of every exchange. */
  readonly exchange: ExchangeHost
  readonly access: ServerAccess
  readonly ports: PortOptions
  /** Certificates of the secure port and the console. */
  readonly tls: TlsOptions
  /** Protocols and response headers. */
  readonly http: HttpOptions
  /** Limits of concurrent requests and their duration. */
  readonly limits: LimitOptions
  /** Audit, tracing, metrics and logs of requests. */
  readonly observability: ObservabilityOptions
  /** Faults, and the order of writes. */
  readonly simulation: SimulationOptions
  readonly log: Logger
}

/** The groups of the server's options that filters use, and parts that the chains of all ports share. */
export interface ChainOptions extends Omit<ServerOptions, 'ports' | 'tls'> {
  /** Optional. User of every request of a listener without authentication. Omitted if requests are authenticated. */
  readonly trusted?: User
  /** The open requests of all ports, for shutdown. */
  readonly requests: RequestsInProgress
  /** Deadlines of `requests`. */
  readonly deadlines: Deadlines
  /** Limits that apply without priority and fairness. */
  readonly inFlight: InFlight
  /** High-water marks of requests that wait and that execute. */
  readonly marks: RequestMarks
  readonly metrics: RequestMetrics
  readonly authMetrics: AuthMetrics
  /** Set on the console's port only. */
  readonly console?: Pick<ServedConsole, 'serves' | 'serve'> | undefined
  /** Optional. Returns the response to a scrape. Omitted if `/metrics` is not served. */
  readonly exposition?: ServerEndpoints['exposition']
}

/**
 * Serves mounts in front of a listener's application. Declared separately, so that the implementation is only loaded if
 * there are mounts.
 */
export interface ServedMounts {
  /** Returns a listener that serves requests below mounted paths itself, and passes the others to `app`. */
  serving<T extends (...args: Parameters<Listener>) => Promise<void>>(
    app: T,
    options: ChainOptions,
  ): (...args: Parameters<Listener>) => Promise<void>
}
