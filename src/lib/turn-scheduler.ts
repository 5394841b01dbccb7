import { nextTick } from 'node:process'

/**
 * Milliseconds for work that starts after a poll, and the same again for queued work. The rest of ten is left to the
 * last step of long work and to what the runtime does for each connection.
 */
const BUDGET_MS = 2
/** A turn is long if it exceeds its budget by this many milliseconds. */
const LONG_MS = 2
/** Most milliseconds of a turn for background work. */
const BACKGROUND_MS = 5
/** Number of turns in which at least one callback of spare work is served. */
const SPARE_TURNS = 4

/** Functions of the event loop that a scheduler uses. */
export interface EventLoop {
  /** Milliseconds of a monotonic clock. */
  now(): number
  /** Calls back after the next poll. */
  afterPoll(callback: () => void): void
  /** Calls back after the current callback and its microtasks, before the event loop continues. */
  nextTick(callback: () => void): void
}

const NODE: EventLoop = {
  now: () => performance.now(),
  afterPoll: callback => void setImmediate(callback),
  nextTick,
}

/** A queue of callbacks that wait for a turn, in order. */
class TurnQueue {
  #waiting: (() => void)[] = []
  #next = 0
  /** End of the callbacks that this turn serves. Those added during a turn are served in the next one. */
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

/** A queue that is served after short work. Each turn serves at least one of its callbacks. */
class LaterQueue extends TurnQueue {
  /** Whether no callback has been served in this turn. */
  isDue = false
  /** Whether the last turn served no callback because other work took long. */
  wasDeferred = false

  override begin(): void {
    super.begin()
    this.isDue = true
  }
}

/**
 * Divides the turns of an event loop among all work that runs on it. Many small pieces of work hold the loop as long as
 * one large piece: sixty requests that arrive in one poll, or a thousand connections that close together. So code
 * checks whether the turn is spent before it begins a piece, and defers the piece to the next turn if so.
 */
export class TurnScheduler {
  readonly #loop: EventLoop
  /** Time at which the budget is spent; 0 if no work has asked in this turn. */
  #until = 0
  /**
   * Long work and background work have their own queues, of which each turn serves at least one callback. Short work
   * therefore never waits for more than one of each.
   */
  readonly #short = new TurnQueue()
  readonly #long = new LaterQueue()
  readonly #background = new LaterQueue()
  readonly #spare = new TurnQueue()
  /** Turns since the last callback of spare work. */
  #withoutSpare = 0
  /** Time at which the last turn ended, or at which the first work after a pause asked. */
  #since = 0

  constructor(loop: EventLoop = NODE) {
    this.#loop = loop
  }

  /** Whether the budget of this turn is spent. The first call in a turn starts it. */
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
   * Whether work in this turn took long. Checked between the stages of one piece of work, which continues in the next
   * turn after a long stage; most pieces are small and run through all stages. If no work has asked in this turn, the
   * turn starts here.
   */
  isLong(): boolean {
    if (this.#until === 0) return this.isSpent()
    return this.#loop.now() > this.#until + LONG_MS
  }

  /** Ends this turn: work that checks whether it is spent or long continues in another one. */
  end(): void {
    if (this.#until === 0) this.isSpent()
    this.#until = Number.NEGATIVE_INFINITY
  }

  /** Calls back in the next turn, or a later one if the queue is long. Keeps the order of calls. */
  inNext(callback: () => void): void {
    if (this.#until === 0) this.isSpent()
    this.#short.push(callback)
  }

  /**
   * Calls back to continue long work, after all short work. Keeps the order of calls; each turn serves at least one.
   */
  inLong(callback: () => void): void {
    if (this.#until === 0) this.isSpent()
    this.#long.push(callback)
  }

  /**
   * Calls back to begin work that no client waits for, after short and long work. Keeps the order of calls. Each turn
   * serves at least one, and goes on for as long as other work has taken, within limits: clients that send as fast as
   * they can leave controllers a share of the time.
   */
  inBackground(callback: () => void): void {
    if (this.#until === 0) this.isSpent()
    this.#background.push(callback)
  }

  /**
   * Calls back to begin work that may wait until no background work does, or for some turns: controllers that are busy
   * delay it, and never stop it. Keeps the order of calls.
   */
  inSpare(callback: () => void): void {
    if (this.#until === 0) this.isSpent()
    this.#spare.push(callback)
  }

  /** Whether callbacks of background work wait. */
  get hasBackground(): boolean {
    return !this.#background.isEmpty
  }

  /** Serves queued callbacks with a budget of their own after each poll, so that they are never deferred forever. */
  readonly #begin = (): void => {
    if (this.#short.isEmpty && this.#long.isEmpty && this.#background.isEmpty && this.#spare.isEmpty) {
      this.#until = 0
      return
    }
    this.#until = this.#loop.now() + BUDGET_MS
    this.#loop.afterPoll(this.#begin)
    this.#short.begin()
    this.#long.begin()
    this.#background.begin()
    this.#spare.begin()
    this.#withoutSpare++
    this.#step()
  }

  readonly #afterMicrotasks = (): void => this.#loop.nextTick(this.#step)

  /** Serves one callback. All microtasks that follow from it run before the next one. */
  readonly #step = (): void => {
    const now = this.#loop.now()
    const isSpent = now > this.#until
    let callback = isSpent ? undefined : this.#short.take()
    for (const queue of [this.#long, this.#background])
      if (callback === undefined && (queue.isDue || !isSpent)) callback = this.#takeLater(queue, now)
    callback ??= this.#takeSpare(isSpent)
    if (callback === undefined) {
      this.#since = now
      return
    }
    callback()
    queueMicrotask(this.#afterMicrotasks)
  }

  #takeSpare(isSpent: boolean): (() => void) | undefined {
    if (this.#withoutSpare < SPARE_TURNS && (isSpent || !this.#background.isEmpty)) return undefined
    const callback = this.#spare.take()
    if (callback !== undefined) this.#withoutSpare = 0
    return callback
  }

  /**
   * Takes the next callback of long or background work. The first of a turn is deferred if other work took long in this
   * turn, so that short work waits for one long piece, not for two. It is never deferred twice in a row, so it always
   * gets a turn.
   */
  #takeLater(queue: LaterQueue, now: number): (() => void) | undefined {
    const isFirst = queue.isDue
    queue.isDue = false
    if (!isFirst) return queue.take()
    queue.wasDeferred = !queue.wasDeferred && !queue.isEmpty && now > this.#since + BUDGET_MS + LONG_MS
    if (queue.wasDeferred || queue.isEmpty) return undefined
    // Other work may have spent the budget.
    this.#until = now + (queue === this.#background ? Math.min(Math.max(now - this.#since, BUDGET_MS), BACKGROUND_MS) : BUDGET_MS)
    return queue.take()
  }
}
