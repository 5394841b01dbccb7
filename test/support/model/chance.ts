import { seededRandom } from '../../../src/lib/seeded-random.ts'

/** Choices that are the same for the same seed. */
export interface Chance {
  /** Of [0, 1). */
  readonly random: () => number
  /** True in this share of all cases. */
  is(share: number): boolean
  pick<T>(items: readonly T[]): T
  /** A whole number of `from`…`to`. */
  number(from: number, to: number): number
}

export function chance(seed: number): Chance {
  const random = seededRandom(seed)
  return {
    random,
    is: share => random() < share,
    pick: items => items[Math.floor(random() * items.length)] as never,
    number: (from, to) => from + Math.floor(random() * (to - from + 1)),
  }
}
