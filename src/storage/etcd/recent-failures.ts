import { type Clock, steadyClock } from '../../lib/clock.ts'

/**
 * How long a member is avoided after a failure. A call to a member that is cut off from its leader takes up to 7 s to
 * fail.
 */
const AVOIDED_MS = 10_000

/** Members of a cluster with recently failed calls or watches, by address. */
export class RecentFailures {
  readonly #clock: Clock
  readonly #failedAt = new Map<string, number>()

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock
  }

  add(address: string): void {
    this.#failedAt.set(address, this.#clock.now())
  }

  has(address: string): boolean {
    const failedAt = this.#failedAt.get(address)
    return failedAt !== undefined && this.#clock.now() - failedAt < AVOIDED_MS
  }
}
