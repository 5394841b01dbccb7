import type { Steps } from '../../lib/steps.ts'

/** Results of comparisons of large objects, which must not change. They are kept as long as both objects exist. */
export class KnownComparisons<T extends object> {
  readonly #results = new WeakMap<T, WeakMap<T, boolean>>();

  /** Returns the known result for a pair of objects, or runs the comparison. */
  *of(a: T, b: T, comparison: Steps<boolean>): Steps<boolean> {
    const ofFirst = this.#results.get(a) ?? new WeakMap<T, boolean>()
    const known = ofFirst.get(b)
    if (known !== undefined) return known
    const isSame = yield* comparison
    this.#results.set(a, ofFirst.set(b, isSame))
    return isSame
  }
}
