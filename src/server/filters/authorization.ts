import { forbidden } from '../../auth/authz/forbidden.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { type Authorizer, isMaster, MASTERS } from '../../meta/authorizer.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import type { HttpExchange } from '../http/http-exchange.ts'
import type { AuthMetrics } from '../metrics/auth-metrics.ts'
import type { Filter } from './filter.ts'

/**
 * Authorizes the request's info. Throws 403. In every mode, upstream first allows system:masters; that case needs no
 * promise here.
 */
export const withAuthorization =
  (authorizer: Authorizer, metrics: Pick<AuthMetrics, 'authorized'>): Filter =>
  ({ state: { exchange } }, next) => {
    if (!isMaster(exchange.user)) return authorize(exchange, authorizer, metrics).then(next)
    exchange.isAuthorized = true
    metrics.authorized('allow', performance.now())
    if (exchange.auditing !== undefined) noteDecision(exchange, 'allow', '')
    exchange.why?.note({ step: 'authorized', decision: 'allow', by: MASTERS, reason: '' })
    return next()
  }

const REASON = 'authorization.k8s.io/reason'

function noteDecision({ audit }: HttpExchange, decision: 'allow' | 'forbid', reason: string): void {
  audit?.annotate('authorization.k8s.io/decision', decision)
  audit?.annotate(REASON, reason)
}

/**
 * Authorizes a request and records the decision in metrics, audit event and `why`. Throws 403, and 500 if the
 * authorizer failed without allowing the request.
 */
async function authorize(exchange: HttpExchange, authorizer: Authorizer, metrics: Pick<AuthMetrics, 'authorized'>): Promise<void> {
  const { user, info } = exchange
  const begun = performance.now()
  const { decision, reason, error, by, rule } = await authorizer.authorize(user, info, exchange.signal).catch((failure: unknown) => {
    metrics.authorized('error', begun)
    exchange.why?.note({ step: 'authorized', decision: 'error', reason: errorMessage(failure) })
    exchange.audit?.annotate(REASON, 'internal error')
    throw failure
  })
  exchange.why?.note({
    step: 'authorized',
    decision: error !== undefined && decision !== 'allow' ? 'error' : decision,
    reason: error ?? reason,
    ...(error === undefined && decision !== 'no opinion' && { by: by ?? 'Webhook' }),
    ...(rule !== undefined && { rule }),
  })
  if (error !== undefined && decision !== 'allow') {
    metrics.authorized('error', begun)
    exchange.audit?.annotate(REASON, 'internal error')
    throw new PlainTextError(500, error)
  }
  metrics.authorized(decision, begun)
  noteDecision(exchange, decision === 'allow' ? 'allow' : 'forbid', reason)
  if (decision === 'allow') {
    exchange.isAuthorized = true
    return
  }
  exchange.setHeader('X-Content-Type-Options', 'nosniff')
  throw forbidden(user, info, reason)
}
