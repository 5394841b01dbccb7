import { nextTick } from 'node:process'

/**
 * Turns of the event loop, shared out among all that the process does. What many small pieces of work take together holds the loop as one long piece does: sixty requests that come
 * in one poll, a thousand connections that close at once. So whoever begins a piece asks whether the turn is spent, and if it is, leaves the piece to the next one.
 */

/** Milliseconds of a poll, and as many for what had to wait: the rest of ten is left to what the runtime itself does for each connection. */
const BUDGET_MS = 2

/** When the budget is spent; 0: nothing has asked in this turn. */
let until = 0
let waiting: (() => void)[] = []
let next = 0

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
  waiting.push(callback)
}

/** Resolves in the next turn, or a later one where much waits. */
export const nextTurn = (): Promise<void> => new Promise(inNextTurn)

/** For code that is told of turns by whoever runs it. */
export const SHARED_TURNS = { spent: turnIsSpent, next: nextTurn }

/** What waits has a budget of its own after each poll, so that it is never put off for ever. */
function begin(): void {
  if (next === waiting.length) {
    until = 0
    return
  }
  until = performance.now() + BUDGET_MS
  setImmediate(begin)
  last = waiting.length
  step()
}

/** Who comes while others are served is served in the next turn. */
let last = 0

const afterMicrotasks = (): void => nextTick(step)

/** One after the other, with all that follows from each in microtasks done before the next. */
function step(): void {
  if (next === last || performance.now() > until) {
    if (next > 1000 || next === waiting.length) {
      waiting = waiting.slice(next)
      next = 0
    }
    return
  }
  const callback = waiting[next++] as () => void
  callback()
  queueMicrotask(afterMicrotasks)
}
