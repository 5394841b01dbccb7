import type Koa from 'koa'
import type { Auditor } from '../audit/auditor.ts'
import type { Authenticator } from '../auth/authn/authenticator.ts'
import type { Api } from '../endpoints/api.ts'
import { serveResource } from '../endpoints/dispatch.ts'
import { withDeprecationWarnings } from '../endpoints/filters/deprecation-warnings.ts'
import { withNegotiation } from '../endpoints/filters/negotiation.ts'
import type { FlowLimits } from '../flow/flow-limits.ts'
import type { Logger } from '../lib/log.ts'
import type { Authorizer } from '../meta/authorizer.ts'
import type { User } from '../meta/context.ts'
import type { RecentRequests } from '../why/recent-requests.ts'
import type { ServedConsole } from './console/served-console.ts'
import { withAudit, withFailedRequestAudit } from './filters/audit.ts'
import { withAuthentication, withUser } from './filters/authentication.ts'
import { withAuthorization } from './filters/authorization.ts'
import { withConsole, withoutAggregation } from './filters/console.ts'
import { withCors } from './filters/cors.ts'
import { type Deadlines, withRequestDeadline } from './filters/deadline.ts'
import { withErrors } from './filters/errors.ts'
import { withExchange } from './filters/exchange.ts'
import { type Faults, withFaults } from './filters/faults.ts'
import type { Filter, RequestState } from './filters/filter.ts'
import { withProbabilisticGoaway } from './filters/goaway.ts'
import { withHsts } from './filters/hsts.ts'
import { withHttpLogging } from './filters/http-logging.ts'
import { type ImpersonationMode, withImpersonation } from './filters/impersonation.ts'
import { type InFlight, withMaxInFlightLimit } from './filters/in-flight.ts'
import { withLongRunning } from './filters/long-running.ts'
import { withMetrics } from './filters/metrics.ts'
import { type RequestMarks, withPriorityAndFairness } from './filters/priority-and-fairness.ts'
import { withRequestInfo } from './filters/request-info.ts'
import { type RequestSpans, withOperationSpan, withTracing } from './filters/tracing.ts'
import { withTurn } from './filters/turn.ts'
import { withWaitGroup } from './filters/wait-group.ts'
import { withWhy } from './filters/why.ts'
import { notOnConsole, withoutConnections } from './filters/without-connections.ts'
import { withoutServiceWorkers } from './filters/without-service-workers.ts'
import { withoutStoredReviews, withoutWrites } from './filters/without-writes.ts'
import { withWritesInTurn } from './filters/writes-in-turn.ts'
import type { ExchangeHost } from './http/exchange.ts'
import type { AuthMetrics } from './metrics/auth-metrics.ts'
import type { RequestMetrics } from './metrics/request-metrics.ts'
import type { RequestsInProgress } from './requests-in-progress.ts'
import { type ServerEndpoints, serverEndpoints } from './server-endpoints.ts'
import type { Tracing } from './tracing/tracing.ts'

export interface ChainOptions extends ServerEndpoints, ExchangeHost {
  /** Optional. User of every request of a listener without authentication. Omitted if requests are authenticated. */
  readonly trusted?: User
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly requests: RequestsInProgress
  /** Deadlines of `requests`. */
  readonly deadlines: Deadlines
  /** Limits that apply without priority and fairness. */
  readonly inFlight: InFlight
  /** Optional. Replaces `inFlight`. Omitted if priority and fairness is off. */
  readonly flowLimits?: FlowLimits | undefined
  readonly marks: RequestMarks
  readonly metrics: RequestMetrics
  readonly authMetrics: AuthMetrics
  /** Omitted if auditing is off. */
  readonly auditor?: Auditor | undefined
  readonly requestTimeoutMs: number
  /** Optional. Response headers and connection policies. */
  readonly conduct?: ServingConduct
  /** Omitted if fault injection is off. */
  readonly faults?: Faults | undefined
  /** Optional. Records each step of recent requests for `binnacle why`. */
  readonly recent?: RecentRequests | undefined
  /** Optional. Resolves when queued watch events are delivered; writes wait for it. */
  readonly settled?: (() => Promise<void>) | undefined
  /** Set on the console's port only. */
  readonly console?: Pick<ServedConsole, 'serves' | 'serve'> | undefined
  /** Omitted if tracing is off. */
  readonly tracing?: Tracing | undefined
  readonly log: Logger
  readonly impersonation: ImpersonationMode
  /** Whether error messages follow 1.34 and later. Defaults to false. */
  readonly laterWords?: boolean
  /** Whether every request is logged. */
  readonly logRequests: boolean
  readonly api: Api
}

/** Response headers and connection policies. Empty and 0 change nothing. */
export interface ServingConduct {
  /** Directives of the Strict-Transport-Security header. */
  readonly hsts: readonly string[]
  /** Regular expressions for origins whose pages may read responses (CORS). */
  readonly corsOrigins: readonly string[]
  /** Share of HTTP/2 requests, from 0 to 1, after which the client is asked to open another connection. */
  readonly goawayChance: number
  /** Whether requests that change stored objects are refused. Defaults to false. */
  readonly readOnly?: boolean
}

const ORDINARY: ServingConduct = { hsts: [], corsOrigins: [], goawayChance: 0 }

/** A filter, or Koa middleware that uses more of the context. */
export type Layer = Filter | Koa.Middleware<RequestState>

/**
 * Returns the filters of every request, in order. Responses pass them in reverse. Names and order follow kube-apiserver (DefaultBuildHandlerChain in k8s.io/apiserver, pkg/server/config.go) for filters
 * that it has. Each listener has its own chain over the same services.
 */
export function handlerChain(options: ChainOptions): readonly Layer[] {
  const { requests, metrics, authMetrics, authorizer, api } = options
  const spans: RequestSpans = new WeakMap()
  const authentication = options.trusted ? withUser(options.trusted) : withAuthentication(options.authenticator, authMetrics)
  return [
    ...received(options, withExchange(options), authentication, spans),
    withImpersonation(authorizer, options.impersonation),
    limited(options),
    withAuthorization(authorizer, authMetrics),
    ...(options.conduct?.readOnly ? [withoutWrites] : []),
    withLongRunning(requests, metrics),
    ...(options.settled ? [withWritesInTurn(options.settled)] : []),
    ...(options.faults ? [withFaults(options.faults)] : []),
    ...(options.console ? [withoutAggregation(api)] : api.withAggregation ? [api.withAggregation] : []),
    serverEndpoints(options),
    ...(options.tracing ? [withOperationSpan(spans, options.tracing)] : []),
    api.withDiscovery,
    api.withScope,
    ...(options.console ? [withoutConnections(notOnConsole)] : []),
    ...(options.conduct?.readOnly ? [withoutStoredReviews] : []),
    withDeprecationWarnings,
    withNegotiation,
    serveResource,
  ]
}

/** Returns the filters up to authentication and the start of the audit event. `exchange`: the filter that creates the exchange. */
export function received(options: ChainOptions, exchange: Filter, authentication: Filter, spans: RequestSpans = new WeakMap()): readonly Layer[] {
  const { requests, log, metrics, auditor, conduct = ORDINARY } = options
  return [
    exchange,
    ...(conduct.hsts.length > 0 ? [withHsts(conduct.hsts)] : []),
    ...(conduct.goawayChance > 0 ? [withProbabilisticGoaway(conduct.goawayChance, Math.random)] : []),
    withWaitGroup(requests),
    ...(options.logRequests ? [withHttpLogging(log)] : []),
    ...(options.recent ? [withWhy(options.recent)] : []),
    withMetrics(metrics),
    withErrors(log, options.laterWords),
    withRequestInfo,
    withTurn,
    ...(auditor ? [withFailedRequestAudit(auditor)] : []),
    withRequestDeadline(options.deadlines, options.requestTimeoutMs),
    withoutServiceWorkers,
    ...(options.console ? [withConsole(options.console)] : []),
    ...(conduct.corsOrigins.length > 0 ? [withCors(conduct.corsOrigins)] : []),
    authentication,
    ...(options.tracing ? [withTracing(options.tracing, spans)] : []),
    // Errors of the filters behind are sent here, before `withAudit` completes the event.
    ...(auditor ? [withAudit(auditor), withErrors(log, options.laterWords)] : []),
  ]
}

/** Returns the filter in which a request waits for seats or for an in-flight slot. */
export const limited = ({ flowLimits, marks, requestTimeoutMs, inFlight }: ChainOptions): Filter =>
  flowLimits ? withPriorityAndFairness(flowLimits, marks, requestTimeoutMs) : withMaxInFlightLimit(inFlight)
