import { createHash } from 'node:crypto'
import { isPending } from '../../lib/awaitable.ts'
import { SizedCache } from '../../lib/sized-cache.ts'
import type { User } from '../../meta/context.ts'
import type { TokenAuthenticator, TokenResult } from './token.ts'
import type { TokenCacheMetrics } from './token-cache-metrics.ts'

/** Options of a token cache. */
export interface TokenCacheOptions {
  /** Lifetime of results, in milliseconds. 0 disables the cache. Failures are never cached. */
  readonly ttlMs: number
  /** Optional. Whether tokens that no authenticator accepts are cached as well. Default: false. */
  readonly keepsRefusals?: boolean
  /** Monotonic time in milliseconds. */
  readonly now: () => number
  readonly metrics: TokenCacheMetrics
}

/** Maximum number of cached tokens, and of characters in their users. The oldest is evicted first. */
const MOST_TOKENS = 4096
const MOST_CHARACTERS = 1 << 25
/** Fixed overhead of an entry, in characters. */
const BESIDE = 256

/** Cache key: a hash, so that its size is fixed and the token cannot be recovered. */
const tokenKey = (token: string, audiences: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([token, ...audiences]))
    .digest('base64')

function answerSize(answer: TokenResult): number {
  return answer !== undefined && 'user' in answer ? userLength(answer.user) : 0
}

function userLength({ name, uid = '', groups, extra = {} }: User): number {
  const texts = [name, uid, ...groups, ...Object.entries(extra).flatMap(([key, values]) => [key, ...values])]
  return texts.reduce((length, text) => length + text.length, 0)
}

const isFailure = (answer: TokenResult): boolean => answer !== undefined && 'error' in answer

/** Caches the results of an authenticator. Concurrent requests with the same token share one call. */
export function cachedTokens(
  tokens: TokenAuthenticator,
  { ttlMs, keepsRefusals = false, now, metrics }: TokenCacheOptions,
): TokenAuthenticator {
  const known = new SizedCache<{ readonly answer: TokenResult; readonly until: number }>(MOST_TOKENS, MOST_CHARACTERS)
  const asked = new Map<string, Promise<TokenResult>>()
  const keep = (key: string, answer: TokenResult): void => {
    if (ttlMs > 0) known.set(key, { answer, until: now() + ttlMs }, BESIDE + answerSize(answer))
  }
  const ask = async (key: string, answering: Promise<TokenResult>): Promise<TokenResult> => {
    metrics.begin('in_flight')
    let hasFailed = true
    try {
      const answer = await answering
      hasFailed = isFailure(answer)
      if (answer === undefined ? keepsRefusals : 'user' in answer) keep(key, answer)
      return answer
    } finally {
      asked.delete(key)
      metrics.end('in_flight')
      metrics.fetched(hasFailed ? 'error' : 'ok')
    }
  }
  const wait = async (answering: Promise<TokenResult>): Promise<TokenResult> => {
    const begun = now()
    metrics.begin('blocked')
    try {
      return await answering
    } finally {
      metrics.end('blocked')
      metrics.authenticated('miss', now() - begun)
    }
  }
  return (token, audiences) => {
    const key = tokenKey(token, audiences)
    const kept = known.get(key)
    if (kept && kept.until > now()) {
      metrics.authenticated('hit', 0)
      return kept.answer
    }
    if (kept) known.delete(key)
    const waiting = asked.get(key)
    if (waiting) return wait(waiting)
    const answer = tokens(token, audiences)
    if (!isPending(answer)) {
      metrics.fetched(isFailure(answer) ? 'error' : 'ok')
      metrics.authenticated('miss', 0)
      return answer
    }
    const result = ask(key, answer)
    asked.set(key, result)
    return wait(result)
  }
}
