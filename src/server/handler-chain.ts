import type Koa from 'koa'
import { serveResource } from '../endpoints/dispatch.ts'
import { withDeprecationWarnings } from '../endpoints/filters/deprecation-warnings.ts'
import { withNegotiation } from '../endpoints/filters/response-form.ts'
import { withAudit, withFailedRequestAudit } from './filters/audit.ts'
import { withAuthentication, withUser } from './filters/authentication.ts'
import { withAuthorization } from './filters/authorization.ts'
import { withConsole, withoutAggregation } from './filters/console.ts'
import { withCors } from './filters/cors.ts'
import { withExchange } from './filters/create-exchange.ts'
import { withRequestDeadline } from './filters/deadline.ts'
import { withErrors } from './filters/errors.ts'
import { withFaults } from './filters/faults.ts'
import type { Filter, RequestState } from './filters/filter.ts'
import { withProbabilisticGoaway } from './filters/goaway.ts'
import { withHsts } from './filters/hsts.ts'
import { withHttpLogging } from './filters/http-logging.ts'
import { withImpersonation } from './filters/impersonation.ts'
import { withMaxInFlightLimit } from './filters/in-flight.ts'
import { withLongRunning } from './filters/long-running.ts'
import { withMetrics } from './filters/metrics.ts'
import { withPriorityAndFairness } from './filters/priority-and-fairness.ts'
import { withRequestInfo } from './filters/request-info.ts'
import { type RequestSpans, withOperationSpan, withTracing } from './filters/tracing.ts'
import { withTurn } from './filters/turn.ts'
import { withWaitGroup } from './filters/wait-group.ts'
import { withWhy } from './filters/why.ts'
import { notOnConsole, withoutConnections } from './filters/without-connections.ts'
import { withoutServiceWorkers } from './filters/without-service-workers.ts'
import { withoutStoredReviews, withoutWrites } from './filters/without-writes.ts'
import { withWritesInTurn } from './filters/writes-in-turn.ts'
import { serverEndpoints } from './server-endpoints.ts'
import type { ChainOptions } from './server-options.ts'

/** A filter, or Koa middleware that uses more of the context. */
export type Layer = Filter | Koa.Middleware<RequestState>

/**
 * Returns the filters of every request, in order. Responses pass them in reverse. Names and order follow kube-apiserver
 * (DefaultBuildHandlerChain in k8s.io/apiserver, pkg/server/config.go) for filters that it has. Each listener has its
 * own chain over the same services.
 */
export function handlerChain(options: ChainOptions): readonly Layer[] {
  const { requests, metrics, authMetrics, access, endpoints, http, limits, simulation } = options
  const { authorizer } = access
  const { api } = endpoints
  const { tracing } = options.observability
  const { readOnly } = http.conduct
  const spans: RequestSpans = new WeakMap()
  const authentication = options.trusted ? withUser(options.trusted) : withAuthentication(access.authenticator, authMetrics)
  return [
    ...received(options, withExchange(options.exchange), authentication, spans),
    withImpersonation(authorizer, access.impersonation),
    limited(options),
    withAuthorization(authorizer, authMetrics),
    ...(readOnly ? [withoutWrites] : []),
    withLongRunning(requests, metrics),
    ...(simulation.settled ? [withWritesInTurn(simulation.settled)] : []),
    ...(simulation.faults ? [withFaults(simulation.faults)] : []),
    ...(options.console ? [withoutAggregation(api)] : api.withAggregation ? [api.withAggregation] : []),
    serverEndpoints({ ...endpoints, flowLimits: limits.flowLimits, ...(options.exposition && { exposition: options.exposition }) }),
    ...(tracing ? [withOperationSpan(spans, tracing)] : []),
    api.withDiscovery,
    api.withScope,
    ...(options.console ? [withoutConnections(notOnConsole)] : []),
    ...(readOnly ? [withoutStoredReviews] : []),
    withDeprecationWarnings,
    withNegotiation,
    serveResource,
  ]
}

/**
 * Returns the filters up to authentication and the start of the audit event. `exchange`: the filter that creates the
 * exchange.
 */
export function received(
  options: ChainOptions,
  exchange: Filter,
  authentication: Filter,
  spans: RequestSpans = new WeakMap(),
): readonly Layer[] {
  const { requests, log, metrics, limits } = options
  const { auditor, recent, tracing, logRequests } = options.observability
  const { conduct, wording } = options.http
  return [
    exchange,
    ...(conduct.hsts.length > 0 ? [withHsts(conduct.hsts)] : []),
    ...(conduct.goawayChance > 0 ? [withProbabilisticGoaway(conduct.goawayChance, Math.random)] : []),
    withWaitGroup(requests),
    ...(logRequests ? [withHttpLogging(log)] : []),
    ...(recent ? [withWhy(recent)] : []),
    withMetrics(metrics),
    withErrors(log, wording),
    withRequestInfo,
    withTurn,
    ...(auditor ? [withFailedRequestAudit(auditor)] : []),
    withRequestDeadline(options.deadlines, limits.timeoutMs),
    withoutServiceWorkers,
    ...(options.console ? [withConsole(options.console)] : []),
    ...(conduct.corsOrigins.length > 0 ? [withCors(conduct.corsOrigins)] : []),
    authentication,
    ...(tracing ? [withTracing(tracing, spans)] : []),
    // Errors of the filters behind are sent here, before `withAudit` completes the event.
    ...(auditor ? [withAudit(auditor), withErrors(log, wording)] : []),
  ]
}

/** Returns the filter in which a request waits for seats or for an in-flight slot. */
export const limited = ({ limits: { flowLimits, timeoutMs }, marks, inFlight }: ChainOptions): Filter =>
  flowLimits ? withPriorityAndFairness(flowLimits, marks, timeoutMs) : withMaxInFlightLimit(inFlight)
