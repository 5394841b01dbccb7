import { createHash } from 'node:crypto'
import type { SubjectAccessReviewStatus } from '../../../api/authorization/v1.types.ts'
import { type Backoff, type BackoffEnvironment, systemBackoff, withBackoff } from '../../../clients/backoff.ts'
import { RemoteCallError, type RemoteClient } from '../../../clients/remote-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { expiringCache } from '../../../lib/expiring-cache.ts'
import type { Logger } from '../../../lib/log.ts'
import { type Steps, startInTurns } from '../../../lib/steps.ts'
import type { AuthorizationDecision, Authorizer, UserRules } from '../../../meta/authorizer.ts'
import type { RequestAttributes } from '../../../meta/context.ts'
import { decodeAs } from '../../../schema/decode-as.ts'
import { type ReviewKind, reviewIn, reviewSchema } from '../../reviews/review-response.ts'
import {
  type AccessReviewSpec,
  type AccessReviewVersion,
  accessReviewSpec,
  accessReviewSpecText,
  accessReviewText,
} from './access-review.ts'
import type { AuthorizationWebhookMetrics, CallResult } from './metrics.ts'

/** Evaluates the match conditions of a webhook. `error` describes a failed evaluation. */
export type Matcher = (spec: AccessReviewSpec) => Promise<'met' | 'excluded' | { readonly error: string }>

/** Options of an authorization webhook. */
export interface WebhookAuthorizerOptions {
  readonly name: string
  readonly client: RemoteClient
  /** Version of SubjectAccessReview that is sent and expected. */
  readonly version: AccessReviewVersion
  /** Milliseconds for which an allowing response is cached. */
  readonly authorizedTtlMs: number
  /** Milliseconds for which any other response is cached. */
  readonly unauthorizedTtlMs: number
  /** Decision if the call fails. */
  readonly onFailure: 'no opinion' | 'deny'
  /** Optional. Default: the webhook is called for every request. */
  readonly matcher?: Matcher
  /** Delays between attempts of a call. */
  readonly backoff: Backoff
}

/** Dependencies shared by all webhooks. */
export interface WebhookAuthorizerEnvironment {
  readonly metrics: AuthorizationWebhookMetrics
  readonly logger: Logger
  /** Monotonic time in milliseconds. */
  readonly now: () => number
  /** Gate AuthorizeWithSelectors. */
  readonly selectors: boolean
  /** Optional. Clock and randomness of the delays, for tests. */
  readonly waits?: BackoffEnvironment
}

/** Maximum number of cached responses, as upstream. */
const MOST_ANSWERS = 8192
/**
 * Responses are not cached if the client-controlled attributes of the request, or the reason, have this many
 * characters.
 */
const LONG_REQUEST = 10_000

/** Result of a rules review: a webhook cannot list its rules. */
const RULES: UserRules = {
  resourceRules: [],
  nonResourceRules: [],
  incomplete: true,
  errors: ['webhook authorizer does not support user rule resolution'],
}

/**
 * Authorizes with SubjectAccessReviews of another server. Responses are cached. A failure is returned as the decision's
 * `error`. https://kubernetes.io/docs/reference/access-authn-authz/webhook/
 */
export function webhookAuthorizer(
  options: WebhookAuthorizerOptions,
  { metrics, logger, now, selectors, waits = systemBackoff }: WebhookAuthorizerEnvironment,
): Authorizer {
  const { name, client, version, onFailure, matcher, backoff } = options
  const answers = expiringCache<SubjectAccessReviewStatus>(MOST_ANSWERS, now)
  const kind: ReviewKind = { group: 'authorization.k8s.io', version, kind: 'SubjectAccessReview' }
  const schema = reviewSchema(kind)
  const ask = async (text: string, signal: AbortSignal): Promise<SubjectAccessReviewStatus> => {
    const review = await reviewIn(await client.post(text, signal), kind, schema)
    return decodeAs<{ status?: SubjectAccessReviewStatus }>(schema, review).status ?? { allowed: false }
  }
  const askCounted = async (text: string, signal: AbortSignal): Promise<SubjectAccessReviewStatus> => {
    const began = performance.now()
    let result: CallResult = 'success'
    try {
      return await ask(text, signal)
    } catch (error) {
      result = callResult(error, signal)
      throw error
    } finally {
      metrics.called(name, result, (performance.now() - began) / 1000)
    }
  }
  const failed = (error: unknown, signal: AbortSignal): AuthorizationDecision => {
    const message = errorMessage(error)
    logger.error(`Failed to make webhook authorizer request: ${message}`)
    if (onFailure === 'no opinion' && !signal.aborted) metrics.failedOpen(name, callResult(error, signal))
    return { decision: onFailure, reason: '', error: message }
  }
  return {
    async authorize(user, request, signal) {
      const spec = accessReviewSpec(user, request, selectors)
      const matched = matcher === undefined ? 'met' : await matchCounted(matcher, spec, options.name, metrics)
      if (matched === 'excluded') return { decision: 'no opinion', reason: '' }
      if (matched !== 'met') return { decision: onFailure, reason: '', error: matched.error }
      const { parts, key } = await startInTurns(keyedSpec(spec, version), signal)
      const known = answers.get(key)
      if (known) return decisionOf(known)
      try {
        const text = accessReviewText(parts, version)
        const status = await withBackoff(backoff, signal, () => askCounted(text, signal), waits)
        if (isShort(request) && (status.reason ?? '').length < LONG_REQUEST)
          answers.set(key, status, status.allowed ? options.authorizedTtlMs : options.unauthorizedTtlMs)
        return decisionOf(status)
      } catch (error) {
        return failed(error, signal)
      }
    },
    rulesFor: () => RULES,
  }
}

/** Encodes the spec of a review, in parts, and returns them with the key of its response in the cache. */
function* keyedSpec(spec: AccessReviewSpec, version: AccessReviewVersion): Steps<{ parts: readonly string[]; key: string }> {
  const parts = yield* accessReviewSpecText(spec, version)
  const hash = createHash('sha256')
  for (const [i, part] of parts.entries()) {
    if (i > 0) yield
    hash.update(part)
  }
  return { parts, key: hash.digest('base64') }
}

async function matchCounted(
  matcher: Matcher,
  spec: AccessReviewSpec,
  name: string,
  metrics: AuthorizationWebhookMetrics,
): ReturnType<Matcher> {
  const began = performance.now()
  const outcome = await matcher(spec)
  metrics.matched(name, typeof outcome === 'string' ? outcome : 'failed', (performance.now() - began) / 1000)
  return outcome
}

/** A response that allows and denies is a denial with an error. */
function decisionOf({ allowed = false, denied = false, reason = '' }: SubjectAccessReviewStatus): AuthorizationDecision {
  if (denied && allowed) return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' }
  if (denied) return { decision: 'deny', reason }
  return { decision: allowed ? 'allow' : 'no opinion', reason }
}

/** Returns the label of a failed call in metrics. */
function callResult(error: unknown, signal: AbortSignal): CallResult {
  if (signal.aborted) return 'canceled'
  if (!(error instanceof RemoteCallError)) return 'error'
  return error.end === 'timeout' || error.statusCode === 504 || error.status?.reason === 'Timeout' ? 'timeout' : 'error'
}

/** Whether the response may be cached. Long requests would fill the cache's memory. */
const isShort = ({ namespace, verb, group, version, resource, subresource, name, path }: RequestAttributes): boolean =>
  namespace.length + verb.length + group.length + version.length + resource.length + subresource.length + name.length + path.length <
  LONG_REQUEST
