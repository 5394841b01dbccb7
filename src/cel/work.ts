/** Thrown if an evaluation exceeds its cost limit. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/**
 * Limit for the elements and characters that functions visit between two rounds of a loop. A visit costs as little as a
 * tenth of a unit, so this many visits fit into the cost limit of a call.
 */
const MOST_WORK = 10_000_000
/** Limit for the elements of a concatenated list. Each of them costs at least one unit when a loop visits it. */
const MOST_ELEMENTS = 1_000_000

/** Limit for characters times pattern size in a search: a search of this size costs the limit of a call. */
const MOST_SEARCHED = 40_000_000

let left = Number.POSITIVE_INFINITY

/**
 * Bounds the work of functions between two rounds of a loop, during which nothing else can run, independently of its
 * cost. The cost model doesn't cover nested lists, or types that are known only during evaluation.
 */
export function withBoundedWork<T>(run: () => T): T {
  const before = left
  left = MOST_WORK
  try {
    return run()
  } finally {
    left = before
  }
}

/** Returns the visits that are left between two rounds of a loop. */
export const workLeft = (): number => left

/** Restores the visits that were left when a round was suspended. */
export function restoreWork(visits: number): void {
  left = visits
}

/** Checks the size of a concatenated list, whether its elements are copied or not. Throws CostLimitExceeded. */
export function checkElements(count: number): void {
  if (count > MOST_ELEMENTS) throw new CostLimitExceeded()
}

/** Checks the length of a concatenated text. Throws CostLimitExceeded. */
export function checkText(length: number): void {
  if (length > MOST_WORK) throw new CostLimitExceeded()
}

/** Checks a search, by the characters that it visited and the size of its pattern. Throws CostLimitExceeded. */
export function checkSearched(characters: number, patternSize: number): void {
  if (characters * patternSize > MOST_SEARCHED) throw new CostLimitExceeded()
}

/** Work of printing or converting an element: it takes as long as many visits, and is not divided into steps. */
const WORK_OF_A_CONVERSION = 400

/** Records elements that are printed or converted. Each occurrence counts. Throws CostLimitExceeded. */
export const spendConversions = (count: number): void => spendWork(count * WORK_OF_A_CONVERSION)

/** Records elements or characters before they are visited or made. Throws CostLimitExceeded. */
export function spendWork(amount: number): void {
  left -= amount
  if (left < 0) throw new CostLimitExceeded()
}
