import { sortFew } from './sort-few.ts'
import { nextLongTurn, turnIsLong, turnIsSpent } from './turn.ts'

/**
 * Work in steps: a generator that yields wherever other work may run, and returns the result. Its input must not be
 * modified meanwhile.
 */
export type Steps<T> = Generator<undefined, T>

/** Runs all steps in one call, for small work and for work that must not be interrupted. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Runs steps, continuing in the next turn once the current one has taken long. From then on they are long work, which
 * only continues in a turn until it is spent. Rejects with the signal's reason, between two steps, once the signal
 * aborts.
 */
export async function runInTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  let isOver = turnIsLong
  for (;;) {
    if (isOver()) {
      isOver = turnIsSpent
      await nextLongTurn()
      signal?.throwIfAborted()
    }
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * Like `runInTurns`, but returns the result itself if the current turn suffices: most objects are small, and each
 * `await` costs a write as much as some of its stages. Throws the errors of the steps that run in the current turn.
 */
export function startInTurns<T>(steps: Steps<T>, signal?: AbortSignal): T | Promise<T> {
  while (!turnIsLong()) {
    const { done, value } = steps.next()
    if (done) return value
  }
  return runInTurns(steps, signal)
}

/** Returns a result that exists, or runs its steps. */
export function* runIfSteps<T extends object | undefined>(result: T | Steps<T>): Steps<T> {
  return isSteps(result) ? yield* result : result
}

/** Applies a function to a result, after its steps if it has any. */
export const mapResult = <T extends object | undefined, U>(result: T | Steps<T>, change: (value: T) => U): U | Steps<U> =>
  isSteps(result) ? mapSteps(result, change) : change(result)

function* mapSteps<T, U>(steps: Steps<T>, change: (value: T) => U): Steps<U> {
  return change(yield* steps)
}

/** `runIfSteps` in one call. */
export const resultAtOnce = <T extends object | undefined>(result: T | Steps<T>): T => (isSteps(result) ? runAtOnce(result) : result)

/**
 * Whether a result still has to be computed in steps. A list is iterable but not steps, and JSON values have no
 * functions.
 */
export const isSteps = <T extends object | undefined>(result: T | Steps<T>): result is Steps<T> =>
  result !== undefined && 'next' in result && typeof result.next === 'function'

let pieces = 0
// A counter of its own: a loop that calls both would otherwise see only odd counts in one of them.
let longPieces = 0

/**
 * Returns true for one of 512 calls of all callers. For loops and recursions over small pieces, which then end a step.
 */
export const isStepDone = (): boolean => (++pieces & 511) === 0

/**
 * Returns true for one of 32 calls. For pieces of some ten microseconds: a yield passes through all enclosing
 * generators, so yielding after each piece would make a deep recursion quadratic.
 */
export const isLongStepDone = (): boolean => (++longPieces & 31) === 0

/** Like `some`, in steps. */
export function* someInSteps<T>(items: Iterable<T>, holds: (item: T) => boolean): Steps<boolean> {
  for (const item of items) {
    if (isStepDone()) yield
    if (holds(item)) return true
  }
  return false
}

const RUN = 2048

/** Sorts like `sort`, stably, in steps. Returns a new list. */
export function* sortInSteps<T extends NonNullable<unknown>>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = []
  // Most input is sorted already.
  let isInOrder = true
  let last: T | undefined
  for (let i = 0; i < items.length; i += RUN) {
    const run = sortFew(items.slice(i, i + RUN), compare)
    const [first] = run
    if (last !== undefined && first !== undefined && compare(last, first) > 0) isInOrder = false
    last = run.at(-1)
    runs.push(run)
    yield
  }
  if (isInOrder) return runs.flat()
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      const [left = [], right] = [runs[i], runs[i + 1]]
      longer.push(right ? yield* mergedRuns(left, right, compare) : left)
    }
    runs = longer
  }
  return runs[0] ?? []
}

function* mergedRuns<T extends NonNullable<unknown>>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const out: T[] = []
  let i = 0
  let j = 0
  let [one, other] = [left[0], right[0]]
  while (one !== undefined || other !== undefined) {
    if (one !== undefined && (other === undefined || compare(one, other) <= 0)) {
      out.push(one)
      one = left[++i]
    } else if (other !== undefined) {
      out.push(other)
      other = right[++j]
    }
    if (out.length % RUN === 0) yield
  }
  return out
}
