/** First and longest delay between two deletions of failed pods on a node, in milliseconds. */
const [FIRST_MS, LONGEST_MS] = [1000, 15 * 60_000]

interface Failure {
  readonly delay: number
  readonly at: number
}

/**
 * Delays the deletion of failed daemon pods, which a kubelet may reject again at once. The delay doubles with each
 * deletion, and is forgotten after twice the longest delay. Corresponds to client-go's flowcontrol.Backoff.
 */
export class FailureBackoff {
  readonly #failures = new Map<string, Failure>()

  /** Milliseconds until a failed pod may be deleted. 0 if it may be now. */
  left(key: string, now: number): number {
    const failure = this.#failures.get(key)
    if (!failure || isForgotten(failure, now)) return 0
    return Math.max(0, failure.at + failure.delay - now)
  }

  /** Counts the deletion of a failed pod. */
  next(key: string, now: number): void {
    for (const [name, failure] of this.#failures) if (isForgotten(failure, now)) this.#failures.delete(name)
    const failure = this.#failures.get(key)
    this.#failures.set(key, { delay: failure ? Math.min(2 * failure.delay, LONGEST_MS) : FIRST_MS, at: now })
  }
}

const isForgotten = ({ at }: Failure, now: number): boolean => now - at > 2 * LONGEST_MS
