import { setTimeout as sleep } from 'node:timers/promises'
import { whyLeft } from './call-ending.ts'
import { RemoteCallError } from './remote-client.ts'

/** Retries of a call and the delays between them. */
export interface Backoff {
  /** Delay after the first failure, in milliseconds. */
  readonly initialMs: number
  /** Factor by which each delay exceeds the previous one, before jitter. */
  readonly factor: number
  /** Maximum random increase of a delay, as a fraction of it. */
  readonly jitter: number
  /** Maximum number of calls. */
  readonly steps: number
  /** Optional. Whether a failure is retried. Default: transient ones (`isTransient`). */
  readonly isRetried?: (error: unknown) => boolean
}

/** Backoff of kube-apiserver's webhooks. @param initialMs first delay in milliseconds. */
export const webhookBackoff = (initialMs: number): Backoff => ({ initialMs, factor: 1.5, jitter: 0.2, steps: 5 })

/**
 * Whether client-go considers the error transient: connection reset, 429, 500, 504, or a response with Retry-After.
 * Codes only count if the Status has no reason.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof RemoteCallError)) return false
  if (error.end === 'reset') return true
  if (error.status === undefined) return false
  const { reason = '', code, details } = error.status.status
  if (code === 429 || TRANSIENT.has(reason) || (reason === '' && (code === 500 || code === 504))) return true
  return (details?.retryAfterSeconds ?? 0) > 0
}

/** Reasons of a Status after which a call is repeated. */
const TRANSIENT: ReadonlySet<string> = new Set(['InternalError', 'Timeout', 'TooManyRequests', 'ServerTimeout'])

/** Randomness and delays, replaced in tests. */
export interface BackoffEnvironment {
  /** Returns a number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number
  /** Rejects if the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Randomness and timers of the system. */
export const systemBackoff: BackoffEnvironment = {
  random: Math.random,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal })
  },
}

/**
 * Calls until the call succeeds, fails with an error that is not retried, the steps are used up, or the signal aborts.
 * Throws the last error.
 */
export async function withBackoff<T>(
  backoff: Backoff,
  signal: AbortSignal,
  call: () => Promise<T>,
  { random, wait }: BackoffEnvironment = systemBackoff,
): Promise<T> {
  if (signal.aborted) throw new Error(`webhook call failed: ${whyLeft(signal)}`)
  const { isRetried = isTransient } = backoff
  let waitMs = backoff.initialMs
  for (let step = 1; ; step++) {
    try {
      return await call()
    } catch (error) {
      if (step >= backoff.steps || signal.aborted || !isRetried(error)) throw error
      try {
        await wait(waitMs * (1 + random() * backoff.jitter), signal)
      } catch {
        throw error
      }
      waitMs *= backoff.factor
    }
  }
}
