import { type Clock, steadyClock } from '../lib/clock.ts'

/** Time without activity after which held requests and events continue, in milliseconds. */
const HELD_MS = 150
/** Maximum time for which a request or event is held, in milliseconds. */
const MOST_MS = 5000
const LOOK_MS = 10

interface Hold {
  readonly since: number
  readonly endsAtEvent: boolean
  readonly release: () => void
}

/**
 * Requests and watch events that wait until nothing else happens, and the activity that they wait for. Uses the
 * machine's clock: a stopped one would hold them forever.
 */
export class Holds {
  /** Milliseconds without activity after which the oldest hold ends. */
  heldMs = HELD_MS
  readonly #clock: Clock
  readonly #waiting: Hold[] = []
  #last: number
  #activities = 0
  #open = 0
  #timer: NodeJS.Timeout | undefined

  constructor(clock: Clock = steadyClock) {
    this.#clock = clock
    this.#last = clock.now()
  }

  /** Number of held requests and events. */
  get pending(): number {
    return this.#waiting.length
  }

  /** Whether a request is in progress. */
  get isInProgress(): boolean {
    return this.#open > 0
  }

  /** Milliseconds since the last activity. 0 while a request is in progress. */
  get quietFor(): number {
    return this.isInProgress ? 0 : this.#clock.now() - this.#last
  }

  /** Number of activities so far. */
  get activities(): number {
    return this.#activities
  }

  /** Records activity. */
  touch(): void {
    this.#activities++
    this.#last = this.#clock.now()
  }

  /** Records the start of a request. The returned function records its end. */
  begin(): () => void {
    this.#open++
    this.touch()
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      this.#open--
      this.touch()
    }
  }

  /** Resolves when the hold ends. `endsAtEvent`: also when the next event is delivered. */
  wait(endsAtEvent = false): Promise<void> {
    this.touch()
    return new Promise(resolve => {
      this.#waiting.push({ since: this.#clock.now(), endsAtEvent, release: resolve })
      this.#watch()
    })
  }

  /** Ends the oldest hold, which counts as activity. Returns false if there is none. */
  release(): boolean {
    const [first] = this.#waiting
    if (first === undefined) return false
    this.#end(first)
    return true
  }

  /** Ends the holds that wait for the next event. */
  delivered(): void {
    this.touch()
    for (const hold of this.#waiting.filter(({ endsAtEvent }) => endsAtEvent)) this.#end(hold)
  }

  #end(hold: Hold): void {
    this.#waiting.splice(this.#waiting.indexOf(hold), 1)
    this.touch()
    hold.release()
  }

  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const [first] = this.#waiting
      if (first === undefined) return
      if (this.quietFor >= this.heldMs || this.#clock.now() - first.since >= MOST_MS) this.release()
      this.#watch()
    }, LOOK_MS).unref()
  }
}
