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
import type { AuthMetrics } from './auth-metrics.ts'
import type { ServedConsole } from './console/served-console.ts'
import type { ExchangeHost } from './exchange.ts'
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
import type { RequestMetrics } from './request-metrics.ts'
import type { RequestsInProgress } from './requests-in-progress.ts'
import { type ServerEndpoints, serverEndpoints } from './server-endpoints.ts'
import type { Tracing } from './tracing/tracing.ts'

export interface ChainOptions extends ServerEndpoints, ExchangeHost {
  /** Who makes the requests of a listener that asks for no credentials; absent: they are authenticated. */
  readonly trusted?: User
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  readonly requests: RequestsInProgress
  /** Of `requests`. */
  readonly deadlines: Deadlines
  readonly inFlight: InFlight
  /** In place of `inFlight`; absent: priority and fairness is off. */
  readonly flowLimits?: FlowLimits | undefined
  readonly marks: RequestMarks
  readonly metrics: RequestMetrics
  readonly authMetrics: AuthMetrics
  /** Absent: nothing is audited. */
  readonly auditor?: Auditor | undefined
  readonly requestTimeoutMs: number
  /** What answers and connections are like. Absent: as any. */
  readonly conduct?: ServingConduct
  /** Absent: nothing fails on purpose. */
  readonly faults?: Faults | undefined
  /** Absent: nobody takes down what requests go through. */
  readonly recent?: RecentRequests | undefined
  /** Absent: writes come in as they come. */
  readonly settled?: (() => Promise<void>) | undefined
  /** Set on the console's port only. */
  readonly console?: Pick<ServedConsole, 'serves' | 'serve'> | undefined
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined
  readonly log: Logger
  readonly impersonation: ImpersonationMode
  /** Errors say what those of 1.34 and later do. Absent: those of releases before. */
  readonly laterWords?: boolean
  /** A line for every request. */
  readonly logRequests: boolean
  readonly api: Api
}

/** How answers and connections differ from the ordinary. Empty and 0: not at all. */
export interface ServingConduct {
  /** Directives of Strict-Transport-Security. */
  readonly hsts: readonly string[]
  /** Regular expressions of origins whose pages may read answers. */
  readonly corsOrigins: readonly string[]
  /** Share of the requests of HTTP/2 after which the client is asked to take another connection. */
  readonly goawayChance: number
  /** What would change what is stored is refused. Default: not. */
  readonly readOnly?: boolean
}

const ORDINARY: ServingConduct = { hsts: [], corsOrigins: [], goawayChance: 0 }

/** A filter, or Koa middleware that needs more of the context. */
export type Layer = Filter | Koa.Middleware<RequestState>

/**
 * What every request goes through, in this order: what goes back passes them from the last to the first. Names and order are those of kube-apiserver (DefaultBuildHandlerChain in
 * k8s.io/apiserver, pkg/server/config.go) where it has such a filter. Each listener has a chain of its own over the same services.
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

/** The layers until it is known who makes a request, and its audit has begun. `exchange`: makes the request's exchange. */
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
    // What the rest throws is answered, and so audited, before the event is over.
    ...(auditor ? [withAudit(auditor), withErrors(log, options.laterWords)] : []),
  ]
}

/** The layer in which a request waits for its turn. */
export const limited = ({ flowLimits, marks, requestTimeoutMs, inFlight }: ChainOptions): Filter =>
  flowLimits ? withPriorityAndFairness(flowLimits, marks, requestTimeoutMs) : withMaxInFlightLimit(inFlight)
