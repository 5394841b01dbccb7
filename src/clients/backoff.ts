import { setTimeout as sleep } from 'node:timers/promises'
import { whyLeft } from './call-ending.ts'
import { RemoteCallError } from './remote-client.ts'

/** How often a call is tried, and how long is waited between. */
export interface Backoff {
  readonly initialMs: number
  readonly factor: number
  /** Part of a wait by which it may be longer. */
  readonly jitter: number
  /** Calls at most. */
  readonly steps: number
  /** Which failures are tried again; absent: those that are transient. */
  readonly isRetried?: (error: unknown) => boolean
}

/** What webhooks of kube-apiserver have, by their first wait. */
export const webhookBackoff = (initialMs: number): Backoff => ({ initialMs, factor: 1.5, jitter: 0.2, steps: 5 })

/** What client-go calls transient: the connection was reset, 500, 504, 429, or an answer that says when to come again. A code counts where the Status names no reason. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof RemoteCallError)) return false
  if (error.end === 'reset') return true
  if (error.status === undefined) return false
  const { reason = '', code, details } = error.status.status
  if (code === 429 || TRANSIENT.has(reason) || (reason === '' && (code === 500 || code === 504))) return true
  return (details?.retryAfterSeconds ?? 0) > 0
}

const TRANSIENT: ReadonlySet<string> = new Set(['InternalError', 'Timeout', 'TooManyRequests', 'ServerTimeout'])

/** What tests replace. */
export interface BackoffEnvironment {
  readonly random: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export const systemBackoff: BackoffEnvironment = {
  random: Math.random,
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal })
  },
}

/** Calls until there is a result, the failure is not to be tried again, the steps are used up or the signal aborts. Throws the last failure. */
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
