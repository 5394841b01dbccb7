import type { EventLoopUtilization } from 'node:perf_hooks'
import type { PlaneParts } from '../testing/running.ts'
import type { Recording } from './recording.ts'

/** Interval of the looks at a run, in milliseconds. */
const LOOK_MS = 4
/** Maximum time until the controller is at rest, in milliseconds. */
const MOST_MS = 15_000
/** A program may compute all the time. */
const MOST_BUSY_MS = 500
/**
 * Ratio of the time for which requests and events are held to the time after which the controller counts as at rest.
 */
const HOLD_RATIO = 4

/** The controller does not come to rest. */
export class RestlessError extends Error {
  override readonly name = 'RestlessError'
}

/** The controller writes so often that the run has failed. */
export class StormError extends Error {
  override readonly name = 'StormError'
}

export interface RestOptions {
  /** Revision, faults and controllers of the control plane. */
  readonly parts: PlaneParts
  /** Requests and events so far. */
  readonly recording: Recording
  /** Milliseconds without activity after which the controller is at rest. */
  readonly quietMs: number
  /** Whether a program of the test computes, or waits for a processor. */
  readonly isBusy: () => boolean
  /** Number of writes of the controller after which it is not awaited any more. */
  readonly mostWrites: number
  /** Maximum time until the controller is at rest, in milliseconds. Default: 15 s. */
  readonly mostMs?: number | undefined
  /** Maximum time for which a program that computes counts as active, in milliseconds. Default: 500 ms. */
  readonly mostBusyMs?: number
}

/**
 * Follows whether anything happens in a run, by looks at a short interval. Time is counted in looks at which the
 * programs have nothing to compute, so that a busy machine does not look like a controller at rest. `begin` starts the
 * looks, `close` ends them.
 */
export class Rest {
  readonly #options: RestOptions
  /** Looks since the last activity. */
  #looks = 0
  /** Those of them at which nothing computed. */
  #quietLooks = 0
  #activities = -1
  #revision = -1
  #entries = 0
  #activeAt = performance.now()
  #longestPauseMs = 0
  #failure: Error | undefined
  /** Whether a caller of `reached` has continued since the last activity. */
  #isReached = false
  #loop: EventLoopUtilization = performance.eventLoopUtilization()
  #timer: NodeJS.Timeout | undefined
  #waiting: (() => void)[] = []

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** Longest time without activity between activities of the controller before it was at rest, in milliseconds. */
  get longestPauseMs(): number {
    return this.#longestPauseMs
  }

  /** Time of the last activity that was noticed, in milliseconds of the machine's steady clock. */
  get activeAt(): number {
    return this.#activeAt
  }

  /** Error with which `reached` has failed. */
  get failure(): Error | undefined {
    return this.#failure
  }

  /** Looks at the run every few milliseconds, until `close`. */
  begin(): void {
    this.#timer = setTimeout(() => {
      this.#look()
      for (const looked of this.#waiting.splice(0)) looked()
      // Between two looks the event loop receives what has arrived.
      setImmediate(() => {
        if (this.#timer !== undefined) this.begin()
      })
    }, LOOK_MS)
  }

  /** Ends the looks. Callers that wait continue. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const looked of this.#waiting.splice(0)) looked()
  }

  /**
   * Resolves when nothing happens any more, or after `close`. `releases`: held requests and events continue before.
   * Throws RestlessError after 15 s, and StormError.
   */
  async reached(releases: boolean): Promise<void> {
    const { parts, recording, quietMs, mostWrites, mostMs = MOST_MS } = this.#options
    const { holds } = parts.rules
    const deadline = performance.now() + mostMs
    while (this.#timer !== undefined) {
      if (!this.#isActive() && this.#quietLooks * LOOK_MS >= quietMs && !recording.awaitsReaction) {
        if (!releases || !holds.release()) {
          this.#isReached = true
          return
        }
        this.#restart()
      }
      if (recording.controllerWrites > mostWrites) this.#fail(new StormError('the controller keeps writing'))
      if (performance.now() > deadline)
        this.#fail(new RestlessError(`the controller does not come to rest within ${mostMs / 1000} seconds`))
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  /** Throws the error and keeps it for `failure`. */
  #fail(error: Error): never {
    this.#failure = error
    throw error
  }

  /** Whether nothing has happened for the time, in milliseconds, and nothing is held back. Programs may compute. */
  isInactiveFor(milliseconds: number): boolean {
    const { parts, recording } = this.#options
    return parts.rules.holds.pending === 0 && !this.#isActive() && this.#looks * LOOK_MS >= milliseconds && !recording.awaitsReaction
  }

  /** Counts a look. After a long rest, held requests and events continue. */
  #look(): void {
    const { parts, recording, quietMs, isBusy, mostBusyMs = MOST_BUSY_MS } = this.#options
    const { holds } = parts.rules
    const loop = performance.eventLoopUtilization(this.#loop)
    this.#loop = performance.eventLoopUtilization()
    if (this.#isActive()) {
      this.#notePause()
      this.#restart()
      return
    }
    this.#looks++
    if ((loop.utilization < 0.5 && !isBusy()) || performance.now() - this.#activeAt > mostBusyMs) this.#quietLooks++
    if (holds.pending > 0 && this.#quietLooks * LOOK_MS >= HOLD_RATIO * quietMs && !recording.isRestarting) {
      holds.release()
      this.#restart()
    }
  }

  /** Whether a request is in progress, the store has changed, or the server has worked since the last look. */
  #isActive(): boolean {
    const { parts } = this.#options
    const { holds } = parts.rules
    return holds.isInProgress || holds.activities !== this.#activities || parts.revision() !== this.#revision || !parts.isIdle()
  }

  /** Notes the time without activity that ends, unless the test ends it, or it counted as rest. */
  #notePause(): void {
    const first = this.#options.recording.entries[this.#entries]
    // The start of a program is no pause.
    if (this.#isReached || this.#entries === 0 || first?.kind === 'note' || (first?.kind === 'request' && !first.isController)) return
    this.#longestPauseMs = Math.max(this.#longestPauseMs, this.#quietLooks * LOOK_MS)
  }

  /** Counts from now on. */
  #restart(): void {
    const { parts, recording } = this.#options
    this.#looks = 0
    this.#quietLooks = 0
    this.#isReached = false
    this.#activities = parts.rules.holds.activities
    this.#revision = parts.revision()
    this.#entries = recording.entries.length
    this.#activeAt = performance.now()
  }
}
