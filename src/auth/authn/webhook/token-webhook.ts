import type { TokenReviewStatus, UserInfo } from '../../../api/authentication/v1.types.ts'
import { type Backoff, type BackoffEnvironment, systemBackoff, withBackoff } from '../../../clients/backoff.ts'
import type { RemoteClient } from '../../../clients/remote-client.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Logger } from '../../../lib/log.ts'
import { namesOf } from '../../../lib/wide-objects.ts'
import type { User } from '../../../meta/context.ts'
import { timeoutError } from '../../../meta/status.ts'
import { decodeAs } from '../../../schema/decode-as.ts'
import { type ReviewKind, reviewIn, reviewSchema } from '../../reviews/review-response.ts'
import { commonAudiences } from '../common-audiences.ts'
import type { TokenAuthenticator, TokenResult } from '../token.ts'

/** Options of the token webhook. */
export interface TokenWebhookOptions {
  readonly client: RemoteClient
  /** Version of TokenReview that is sent and expected. */
  readonly version: 'v1' | 'v1beta1'
  /** Audiences of this server. A token is valid for them if the webhook returns none. */
  readonly serverAudiences: readonly string[]
  readonly backoff: Backoff
  readonly logger: Logger
  readonly waits?: BackoffEnvironment
}

/**
 * Timeout of a call in milliseconds, as upstream. Independent of the requests' deadlines, because several requests may
 * share one call.
 */
const TIMEOUT_MS = 30_000

/**
 * Limit on the extra attributes of a user. The server passes them to webhooks, policies, aggregated servers and the
 * audit log with each request of the user.
 */
const MOST_EXTRA = 1024

/**
 * Authenticates tokens with TokenReviews of another server.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#webhook-token-authentication
 */
export function tokenWebhook({
  client,
  version,
  serverAudiences,
  backoff,
  logger,
  waits = systemBackoff,
}: TokenWebhookOptions): TokenAuthenticator {
  const kind: ReviewKind = { group: 'authentication.k8s.io', version, kind: 'TokenReview' }
  const schema = reviewSchema(kind)
  const ask = async (text: string, signal: AbortSignal): Promise<TokenReviewStatus | undefined> => {
    const review = await reviewIn(await client.post(text, signal), kind, schema)
    return decodeAs<{ status?: TokenReviewStatus }>(schema, review).status
  }
  return async (token, audiences) => {
    const ended = new AbortController()
    const timer = setTimeout(() => ended.abort(timeoutError('the webhook has not responded', 0)), TIMEOUT_MS)
    try {
      const text = reviewText(token, audiences, version)
      return answerOf(await withBackoff(backoff, ended.signal, () => ask(text, ended.signal), waits), audiences, serverAudiences)
    } catch (error) {
      const message = errorMessage(error)
      logger.error(`Failed to make webhook authenticator request: ${message}`)
      return { error: message }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Encodes a TokenReview as client-go does, with its empty status. */
const reviewText = (token: string, audiences: readonly string[], version: string): string =>
  JSON.stringify({
    kind: 'TokenReview',
    apiVersion: `authentication.k8s.io/${version}`,
    metadata: { creationTimestamp: null },
    spec: { ...(token !== '' && { token }), ...(audiences.length > 0 && { audiences }) },
    status: { user: {} },
  })

/** Converts the response of the webhook to a result. */
function answerOf(status: TokenReviewStatus | undefined, wanted: readonly string[], serverAudiences: readonly string[]): TokenResult {
  const { authenticated = false, user, audiences = [], error = '' } = status ?? {}
  const meant = audiences.length > 0 ? audiences : serverAudiences
  const common = commonAudiences(wanted, meant)
  // A token for other audiences is not accepted, whatever else the response states.
  if (wanted.length > 0 && common.length === 0) return undefined
  if (authenticated) return { user: tokenUser(user ?? {}), audiences: common, source: 'webhook' }
  return error === '' ? undefined : { error }
}

/** Returns the user of a review. Throws an Error if it has too many extra attributes. */
function tokenUser({ username = '', uid, groups, extra = {} }: UserInfo): User {
  const names = namesOf(extra)
  if (names.length > MOST_EXTRA) throw new Error(`the user has ${names.length} extra attributes, more than ${MOST_EXTRA}`)
  return {
    name: username,
    groups: groups ?? [],
    ...(uid && { uid }),
    ...(names.length > 0 && { extra: Object.fromEntries(names.map(name => [name, extra[name] ?? []])) }),
  }
}
