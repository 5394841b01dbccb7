import { sortFew } from './sort-few.ts'
import { nextLongTurn, turnIsLong } from './turn.ts'

/** Work in steps: a generator that yields wherever others may have their turn, and returns the result. What it works on must not change meanwhile. */
export type Steps<T> = Generator<undefined, T>

/** For small work, and where nothing may come between. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Leaves to the next turn what follows a step that took long, or what took long before. Rejects with the signal's reason, between two steps, once nobody waits for the result. */
export async function runInTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    if (turnIsLong()) {
      await nextLongTurn()
      signal?.throwIfAborted()
    }
    const { done, value } = steps.next()
    if (done) return value
  }
}

/**
 * The same, with the result at once where this turn suffices: most objects are small, and each `await` costs a write as much as some of its stages. Throws what the steps throw before they are
 * left to another turn.
 */
export function startInTurns<T>(steps: Steps<T>, signal?: AbortSignal): T | Promise<T> {
  while (!turnIsLong()) {
    const { done, value } = steps.next()
    if (done) return value
  }
  return runInTurns(steps, signal)
}

/** A result that is there already, or takes steps to make. */
export function* resultOf<T extends object | undefined>(result: T | Steps<T>): Steps<T> {
  return isSteps(result) ? yield* result : result
}

/** True for what takes steps, of what may be a result already. A list is no steps, although it is iterable. Values of JSON have no functions. */
export const isSteps = <T extends object | undefined>(result: T | Steps<T>): result is Steps<T> =>
  result !== undefined && 'next' in result && typeof result.next === 'function'

let pieces = 0

/** True for one of 512 calls of all callers: where a loop or a recursion over small pieces ends a step. */
export const isStepDone = (): boolean => (++pieces & 511) === 0

/** The same for pieces of some ten microseconds: true for one of 32 calls. A yield passes through all generators around it, so that one for each piece makes a deep recursion quadratic. */
export const isLongStepDone = (): boolean => (++pieces & 31) === 0

const RUN = 2048

/** The items in order, equal ones as they stood: what `sort` does, in steps. */
export function* sorted<T extends NonNullable<unknown>>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = []
  // Most of what is sorted is in order already.
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
