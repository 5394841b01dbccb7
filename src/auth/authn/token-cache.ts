import { createHash } from 'node:crypto'
import type { TokenAnswer, TokenAuthenticator } from './token.ts'

export interface TokenCacheOptions {
  /** How long an answer counts, in milliseconds; 0: none is kept. Failures are never kept. */
  readonly ttlMs: number
  /** That nobody knows a token is kept as long as whose it is. */
  readonly keepsRefusals?: boolean
  /** Milliseconds that never go back. */
  readonly now: () => number
}

/** Tokens that are kept at most; the oldest is forgotten first. */
const MOST_TOKENS = 4096

/** Of one size, however long a token is, and of no use to whoever reads it. */
const keyOf = (token: string, audiences: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([token, ...audiences]))
    .digest('base64')

/** Asks once for a token that is used often, and once for requests that come with it at the same time. */
export function cachedTokens(tokens: TokenAuthenticator, { ttlMs, keepsRefusals = false, now }: TokenCacheOptions): TokenAuthenticator {
  const known = new Map<string, { readonly answer: TokenAnswer; readonly until: number }>()
  const asked = new Map<string, Promise<TokenAnswer>>()
  const keep = (key: string, answer: TokenAnswer): void => {
    if (ttlMs <= 0) return
    known.delete(key)
    known.set(key, { answer, until: now() + ttlMs })
    const [oldest] = known.size > MOST_TOKENS ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
  }
  const ask = async (key: string, answering: Promise<TokenAnswer>): Promise<TokenAnswer> => {
    try {
      const answer = await answering
      if (answer === undefined ? keepsRefusals : 'user' in answer) keep(key, answer)
      return answer
    } finally {
      asked.delete(key)
    }
  }
  return (token, audiences) => {
    const key = keyOf(token, audiences)
    const kept = known.get(key)
    if (kept && kept.until > now()) return kept.answer
    if (kept) known.delete(key)
    const waiting = asked.get(key)
    if (waiting) return waiting
    const answer = tokens(token, audiences)
    if (!(answer instanceof Promise)) return answer
    const result = ask(key, answer)
    asked.set(key, result)
    return result
  }
}
