import { seededRandom } from '../lib/seeded-random.ts'
import { KINDS, type Perturbation, type PerturbationKind, type Schedule } from './schedule.ts'

/** A run takes two perturbations at once whenever this many runs have passed. */
const PAIR_EVERY = 8

/**
 * Draws the schedules of an exploration. Every perturbation comes once before any comes again, in an order that the
 * seed decides, and each kind has its share of the runs.
 */
export class Draw {
  readonly #random: () => number
  readonly #all: readonly Perturbation[]
  readonly #left: ReadonlyMap<PerturbationKind, Perturbation[]>
  #drawn = 0

  constructor(perturbations: Readonly<Record<PerturbationKind, readonly Perturbation[]>>, seed: number) {
    this.#random = seededRandom(seed)
    this.#left = new Map(KINDS.map(kind => [kind, this.#shuffled(perturbations[kind])]))
    this.#all = Object.values(perturbations).flat()
  }

  /** Returns the schedule of the next run. Undefined if nothing can be perturbed. */
  next(): Schedule | undefined {
    if (this.#all.length === 0) return undefined
    const turn = this.#drawn++
    if (turn % PAIR_EVERY === PAIR_EVERY - 1) return this.#pair()
    for (let i = 0; i < KINDS.length; i++) {
      const kind = KINDS[(turn + i) % KINDS.length]
      const next = kind && this.#left.get(kind)?.pop()
      if (next !== undefined) return [next]
    }
    return this.#pair()
  }

  #pair(): Schedule {
    const pair = [this.#any(), this.#any()].filter(one => one !== undefined)
    // The states after two deletions are not known.
    const isSingle = pair[0] === pair[1] || pair.every(({ deletion }) => deletion !== undefined)
    return isSingle ? pair.slice(0, 1) : pair
  }

  #any(): Perturbation | undefined {
    return this.#all[Math.floor(this.#random() * this.#all.length)]
  }

  /** Fisher and Yates's shuffle. */
  #shuffled(given: readonly Perturbation[]): Perturbation[] {
    const shuffled = [...given]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const other = Math.floor(this.#random() * (i + 1))
      const [a, b] = [shuffled[i], shuffled[other]]
      if (a !== undefined && b !== undefined) [shuffled[i], shuffled[other]] = [b, a]
    }
    return shuffled
  }
}
