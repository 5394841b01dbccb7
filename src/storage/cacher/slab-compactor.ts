import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { Slabs } from '../slab.ts'
import type { Stored } from '../stored-object.ts'
import type { ResourceCache } from './resource-cache.ts'

/**
 * A pass runs when so many bytes of slabs were allocated since the last one, and at least this fraction of the live
 * bytes.
 */
const WORTHWHILE = 16 << 20
const WORTHWHILE_PART = 1 / 8
/** A slab with a smaller live fraction is emptied. Dead bytes are therefore at most a third of the live ones. */
const LEAST_ALIVE = 3 / 4
const OBJECTS_PER_LOOK = 100

/**
 * Frees slabs that are retained by a few long-lived objects: the parts that present states use are moved to slabs for
 * such objects. History is not moved; it expires by itself.
 */
export class SlabCompactor {
  readonly #young: Slabs
  /** Slabs of objects that outlive their first slab. */
  readonly #old = new Slabs()
  /** Slab bytes allocated before the last pass. */
  #allocated = 0
  /** Live bytes in the last pass. */
  #live = 0
  #isRunning = false

  /** `young` are the slabs of new objects. */
  constructor(young: Slabs) {
    this.#young = young
  }

  /** Runs a pass in turns of the event loop, if enough has been allocated since the last one and none is running. */
  async run(caches: readonly ResourceCache[]): Promise<void> {
    if (this.#isRunning || this.#young.allocated - this.#allocated < Math.max(WORTHWHILE, this.#live * WORTHWHILE_PART)) return
    this.#isRunning = true
    try {
      await this.#pass(caches)
    } finally {
      this.#isRunning = false
    }
  }

  /**
   * Measures how much of each slab is alive, then moves objects out of those that are mostly dead, so that their memory
   * can be freed.
   */
  async #pass(caches: readonly ResourceCache[]): Promise<void> {
    const slabs = new Map<ArrayBufferLike, number>()
    this.#allocated = this.#young.allocated
    this.#live = 0
    await eachObject(caches, object => {
      slabs.set(object.slab, (slabs.get(object.slab) ?? 0) + object.size)
      this.#live += object.size
    })
    await eachObject(caches, object => {
      const { slab } = object
      if (this.#young.isCurrent(slab) || this.#old.isCurrent(slab)) return
      if ((slabs.get(slab) ?? slab.byteLength) < slab.byteLength * LEAST_ALIVE) object.keepIn(this.#old)
    })
  }
}

/**
 * Visits the objects of all states in slices. Each state is cloned when its turn comes, so later writes are left to the
 * next run.
 */
async function eachObject(caches: readonly ResourceCache[], visit: (object: Stored) => void): Promise<void> {
  let left = OBJECTS_PER_LOOK
  for (const cache of caches) {
    for (const object of cache.tree.clone().values()) {
      visit(object)
      if (--left > 0) continue
      left = OBJECTS_PER_LOOK
      if (turnIsSpent()) await nextTurn()
    }
  }
}
