import { hasTimeBounds } from './time-bounds.ts'

/** Processor time of one piece of work, in milliseconds. */
export interface Cost {
  /** All of it. */
  readonly total: number
  /** The longest turn of the event loop. */
  readonly turn: number
}

/** Doubling the size multiplies a linear cost by 2 and a square by 4. */
const MOST_GROWTH = 2.6
/**
 * Milliseconds above the cost of the smallest size. Smaller costs are not compared: compilation and collections of
 * garbage take as much. In the process of `make test`, whose heap is large and whose machine may be busy, a linear cost
 * of a quarter of a second was seen to grow fourfold, so only costs of a square or of backtracking are compared there.
 */
const noticeableMs = (): number => (hasTimeBounds() ? 25 : 5000)
const ATTEMPTS = 6

export interface Growth {
  readonly size: number
  readonly half: Cost
  readonly whole: Cost
}

/**
 * Measures work at increasing sizes, and returns the first size at which the cost grows faster than the size, or
 * undefined. A suspicious size is measured again, as other work of the process may disturb a measurement. Larger sizes
 * are then skipped: they may take hours.
 */
export async function superLinear(sizes: readonly number[], measure: (size: number) => Promise<Cost>): Promise<Growth | undefined> {
  const noticeable = noticeableMs()
  let least = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    const { total } = await measure(size)
    least = Math.min(least, total)
    if (total - least < noticeable) continue
    const growth = await growthAt(size, least + noticeable, measure)
    if (growth) return growth
  }
  return undefined
}

/** `least`: smaller costs are not compared. */
async function growthAt(size: number, least: number, measure: (size: number) => Promise<Cost>): Promise<Growth | undefined> {
  let [half, whole] = [UNKNOWN, UNKNOWN]
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    half = cheaper(half, await measure(Math.floor(size / 2)))
    whole = cheaper(whole, await measure(size))
    if (whole.total < least || whole.total < MOST_GROWTH * half.total) return undefined
  }
  return { size, half, whole }
}

const UNKNOWN: Cost = { total: Number.POSITIVE_INFINITY, turn: Number.POSITIVE_INFINITY }
const cheaper = (a: Cost, b: Cost): Cost => ({ total: Math.min(a.total, b.total), turn: Math.min(a.turn, b.turn) })

export const growthText = ({ size, half, whole }: Growth): string =>
  `${Math.round(half.total)} ms at ${Math.floor(size / 2)}, ${Math.round(whole.total)} ms at ${size}, in turns of up to ${Math.round(whole.turn)} ms`
