/** Thrown when an evaluation has cost more than it may. */
export class CostLimitExceeded extends Error {
  override readonly name = 'CostLimitExceeded'

  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** What costs a tenth, as an element of a list that is compared, can be had so often for the limit of a call. */
const MOST_WORK = 10_000_000
/** Elements of a list that is put together of others: each costs at least one where it is gone through in a loop. */
const MOST_ELEMENTS = 1_000_000

/** Characters of a text, multiplied by those of the pattern that is looked for, for which a search costs the limit of a call. */
const MOST_SEARCHED = 40_000_000

let left = Number.POSITIVE_INFINITY

/** Bounds what functions do between two rounds of loops, where nothing else runs, whatever it is said to cost: costs know nothing of lists within lists, nor of a type that is known only when the expression runs. */
export function withBoundedWork<T>(run: () => T): T {
  const before = left
  left = MOST_WORK
  try {
    return run()
  } finally {
    left = before
  }
}

/** Two lists become one of so many elements, whether they are copied or not. Throws CostLimitExceeded. */
export function checkElements(count: number): void {
  if (count > MOST_ELEMENTS) throw new CostLimitExceeded()
}

/** Two texts become one of so many characters. Throws CostLimitExceeded. */
export function checkText(length: number): void {
  if (length > MOST_WORK) throw new CostLimitExceeded()
}

/** Characters that one call has searched for a pattern of a size. Throws CostLimitExceeded. */
export function checkSearched(characters: number, patternSize: number): void {
  if (characters * patternSize > MOST_SEARCHED) throw new CostLimitExceeded()
}

/** Takes down elements or characters that are about to be gone through or made. Throws CostLimitExceeded. */
export function spendWork(amount: number): void {
  left -= amount
  if (left < 0) throw new CostLimitExceeded()
}
