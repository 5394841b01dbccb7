import { setTimeout as sleep } from 'node:timers/promises'
import type { PlaneParts } from '../testing/running.ts'
import type { Recording } from './recording.ts'

/** Interval of the looks at a run, in milliseconds. */
const LOOK_MS = 5
/** Maximum time until the controller is at rest, in milliseconds. */
const MOST_MS = 15_000

/** The controller does not come to rest. */
export class RestlessError extends Error {
  override readonly name = 'RestlessError'
}

/** Waits until nothing happens in a run. */
export class Rest {
  readonly #parts: PlaneParts
  readonly #recording: Recording
  readonly #quietMs: number
  #revision = 0
  /** Number of activities when the run was last at rest. */
  #reachedAt = -1

  constructor(parts: PlaneParts, recording: Recording, quietMs: number) {
    this.#parts = parts
    this.#recording = recording
    this.#quietMs = quietMs
  }

  /** Resolves when nothing happens any more. `releases`: held requests and events continue before. Throws RestlessError after 15 s. */
  async reached(releases: boolean): Promise<void> {
    const { holds } = this.#parts.rules
    if (this.#reachedAt === holds.activities && this.isQuiet && this.#parts.revision() === this.#revision && this.#parts.isIdle()) return
    const deadline = performance.now() + MOST_MS
    let looks = 0
    for (;;) {
      // On a busy machine time passes without a turn in which the controller could react.
      await sleep(LOOK_MS)
      looks = this.#isUnchanged() ? looks + 1 : 0
      if (looks * LOOK_MS >= this.#quietMs / 2 && holds.quietFor >= this.#quietMs && !this.#recording.awaitsReaction) {
        if (!releases || !holds.release()) {
          this.#reachedAt = holds.activities
          return
        }
        looks = 0
      }
      if (performance.now() > deadline) throw new RestlessError(`the controller does not come to rest within ${MOST_MS / 1000} seconds`)
    }
  }

  /** Whether nothing happens at present, and nothing is held back. */
  get isQuiet(): boolean {
    const { holds } = this.#parts.rules
    return holds.pending === 0 && holds.quietFor >= this.#quietMs && !this.#recording.awaitsReaction
  }

  /** Whether the store has not changed since the last call, and no work is in progress in the server. */
  #isUnchanged(): boolean {
    const revision = this.#parts.revision()
    if (revision !== this.#revision || !this.#parts.isIdle()) {
      this.#revision = revision
      if (!this.#parts.isIdle()) this.#parts.rules.holds.touch()
      return false
    }
    return true
  }
}
