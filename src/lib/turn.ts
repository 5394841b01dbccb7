import { nextTick } from 'node:process'

/**
 * Turns of the event loop, shared out among all that the process does. What many small pieces of work take together holds the loop as one long piece does: sixty requests that come
 * in one poll, a thousand connections that close at once. So whoever begins a piece asks whether the turn is spent, and if it is, leaves the piece to the next one.
 */

/** Milliseconds of a poll, and as many for what had to wait: the rest of ten is left to what the runtime itself does for each connection. */
const BUDGET_MS = 2

/** When the budget is spent; 0: nothing has asked in this turn. */
let until = 0

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

/** Long work has a queue of its own, of which each turn serves one callback at least: short work never waits for more than one of them. */
const short = new TurnQueue()
const long = new TurnQueue()

/** Whether this turn has had its share. */
export function turnIsSpent(): boolean {
  const now = performance.now()
  if (until === 0) {
    until = now + BUDGET_MS
    setImmediate(begin)
    return false
  }
  return now > until
}

/** A turn is long that has used this many milliseconds beyond its budget. */
const LONG_MS = 8

/**
 * Whether something in this turn took long: for boundaries between the stages of one piece of work, which leave to the next turn what follows a long stage. Most pieces are small, and go
 * through all their stages at once. Where nothing has asked in this turn, it is counted from here on.
 */
export function turnIsLong(): boolean {
  if (until === 0) return turnIsSpent()
  return performance.now() > until + LONG_MS
}

/** Calls back in the next turn, or a later one where much waits: in order. */
export function inNextTurn(callback: () => void): void {
  if (until === 0) turnIsSpent()
  short.push(callback)
}

/** Likewise with the rest of what takes long, behind all that is short: in order, one a turn at least. */
export function inLongTurn(callback: () => void): void {
  if (until === 0) turnIsSpent()
  long.push(callback)
}

/** Resolves in the next turn, or a later one where much waits. */
export const nextTurn = (): Promise<void> => new Promise(inNextTurn)

/** Likewise for the rest of what takes long. */
export const nextLongTurn = (): Promise<void> => new Promise(inLongTurn)

/** For code that is told of turns by whoever runs it. */
export const SHARED_TURNS = { spent: turnIsSpent, next: nextTurn }

/** No callback of the long queue has been served in this turn. */
let isLongDue = false

/** What waits has a budget of its own after each poll, so that it is never put off for ever. */
function begin(): void {
  if (short.isEmpty && long.isEmpty) {
    until = 0
    return
  }
  until = performance.now() + BUDGET_MS
  setImmediate(begin)
  short.begin()
  long.begin()
  isLongDue = true
  step()
}

const afterMicrotasks = (): void => nextTick(step)

/** One after the other, with all that follows from each in microtasks done before the next. */
function step(): void {
  const isSpent = performance.now() > until
  let callback = isSpent ? undefined : short.take()
  if (callback === undefined && (isLongDue || !isSpent)) {
    isLongDue = false
    callback = long.take()
  }
  if (callback === undefined) return
  callback()
  queueMicrotask(afterMicrotasks)
}
