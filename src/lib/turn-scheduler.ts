import { nextTick } from 'node:process'

/** Milliseconds of a poll, and as many for what had to wait: the rest of ten is left to what the runtime itself does for each connection. */
const BUDGET_MS = 2
/** A turn is long that has used this many milliseconds beyond its budget. */
const LONG_MS = 8

/** What a scheduler needs of the event loop. */
export interface EventLoop {
  /** Milliseconds of a steady clock. */
  now(): number
  /** Calls back after the next poll. */
  afterPoll(callback: () => void): void
  /** Calls back after the callback that runs, before the loop goes on: microtasks that are queued by then come first. */
  nextTick(callback: () => void): void
}

const NODE: EventLoop = {
  now: () => performance.now(),
  afterPoll: callback => void setImmediate(callback),
  nextTick,
}

/** Callbacks that wait for a turn, in order. */
class TurnQueue {
  #waiting: (() => void)[] = []
  #next = 0
  /** Who comes while others are served is served in the next turn. */
  #last = 0

  get isEmpty(): boolean {
    return this.#next === this.#waiting.length
  }

  push(callback: () => void): void {
    this.#waiting.push(callback)
  }

  begin(): void {
    if (this.#next > 1000 || this.isEmpty) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    this.#last = this.#waiting.length
  }

  take(): (() => void) | undefined {
    return this.#next < this.#last ? this.#waiting[this.#next++] : undefined
  }
}

/**
 * Shares the turns of an event loop out among all that runs on it. What many small pieces of work take together holds the loop as one long piece does: sixty requests that come in one poll, a
 * thousand connections that close at once. So code that begins a piece asks whether the turn is spent, and if it is, leaves the piece to the next one.
 */
export class TurnScheduler {
  readonly #loop: EventLoop
  /** When the budget is spent; 0: nothing has asked in this turn. */
  #until = 0
  /** Long work has a queue of its own, of which each turn serves one callback at least: short work never waits for more than one of them. */
  readonly #short = new TurnQueue()
  readonly #long = new TurnQueue()
  /** No callback of the long queue has been served in this turn. */
  #isLongDue = false
  /** When the last turn ended, or the first piece of work after a pause asked. */
  #since = 0
  /** The last turn served no callback of the long queue, as something else took long. */
  #wasDeferred = false

  constructor(loop: EventLoop = NODE) {
    this.#loop = loop
  }

  /** Whether this turn has had its share. */
  isSpent(): boolean {
    const now = this.#loop.now()
    if (this.#until === 0) {
      this.#until = now + BUDGET_MS
      this.#since = now
      this.#loop.afterPoll(this.#begin)
      return false
    }
    return now > this.#until
  }

  /**
   * Whether something in this turn took long: for boundaries between the stages of one piece of work, which leave to the next turn what follows a long stage. Most pieces are small, and go
   * through all their stages at once. If nothing has asked in this turn, it is counted from here on.
   */
  isLong(): boolean {
    if (this.#until === 0) return this.isSpent()
    return this.#loop.now() > this.#until + LONG_MS
  }

  /** Calls back in the next turn, or a later one if much waits: in order. */
  inNext(callback: () => void): void {
    if (this.#until === 0) this.isSpent()
    this.#short.push(callback)
  }

  /** Calls back with the rest of what takes long, behind all that is short: in order, one a turn at least. */
  inLong(callback: () => void): void {
    if (this.#until === 0) this.isSpent()
    this.#long.push(callback)
  }

  /** What waits has a budget of its own after each poll, so that it is never put off for ever. */
  readonly #begin = (): void => {
    if (this.#short.isEmpty && this.#long.isEmpty) {
      this.#until = 0
      return
    }
    this.#until = this.#loop.now() + BUDGET_MS
    this.#loop.afterPoll(this.#begin)
    this.#short.begin()
    this.#long.begin()
    this.#isLongDue = true
    this.#step()
  }

  readonly #afterMicrotasks = (): void => this.#loop.nextTick(this.#step)

  /** One after the other, with all that follows from each in microtasks done before the next. */
  readonly #step = (): void => {
    const now = this.#loop.now()
    const isSpent = now > this.#until
    let callback = isSpent ? undefined : this.#short.take()
    if (callback === undefined && (this.#isLongDue || !isSpent)) callback = this.#takeLong(now)
    if (callback === undefined) {
      this.#since = now
      return
    }
    callback()
    queueMicrotask(this.#afterMicrotasks)
  }

  /** The first one of a turn waits for the next turn if something else took long in this one: others wait for one long piece, not for two. Never twice in a row, for it would wait for ever. */
  #takeLong(now: number): (() => void) | undefined {
    const isFirst = this.#isLongDue
    this.#isLongDue = false
    if (!isFirst) return this.#long.take()
    this.#wasDeferred = !this.#wasDeferred && !this.#long.isEmpty && now > this.#since + BUDGET_MS + LONG_MS
    return this.#wasDeferred ? undefined : this.#long.take()
  }
}
