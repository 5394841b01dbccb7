import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { Slabs } from '../slab.ts'
import type { Stored } from '../stored-object.ts'
import type { ResourceCache } from './resource-cache.ts'

/** Slab bytes made since the last pass that make the next one worthwhile, and at least this part of what lives. */
const worthwhile = 16 << 20
const worthwhilePart = 1 / 8
/** A slab of which less is alive is emptied: so what is dead is never more than a third of what lives. */
const leastAlive = 3 / 4
const objectsPerLook = 100

/**
 * Frees slabs that some long-lived objects keep alive among many that are gone: what the present states hold of them moves to slabs for such objects. History drains by itself.
 */
export class SlabCompactor {
  readonly #young: Slabs
  /** For what outlives its slab. */
  readonly #old = new Slabs()
  /** As of the last pass, in bytes. */
  #allocated = 0
  #live = 0
  #isRunning = false

  /** `young`: where new objects are. */
  constructor(young: Slabs) {
    this.#young = young
  }

  /** A pass in turns of the event loop, if enough has been allocated since the last one and none is under way. */
  async run(caches: readonly ResourceCache[]): Promise<void> {
    if (this.#isRunning || this.#young.allocated - this.#allocated < Math.max(worthwhile, this.#live * worthwhilePart)) return
    this.#isRunning = true
    try {
      await this.#pass(caches)
    } finally {
      this.#isRunning = false
    }
  }

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
      if ((slabs.get(slab) ?? slab.byteLength) < slab.byteLength * leastAlive) object.keepIn(this.#old)
    })
  }
}

/** Objects of the states as they were when it came to each, in slices. What is written meanwhile is met in the next run. */
async function eachObject(caches: readonly ResourceCache[], visit: (object: Stored) => void): Promise<void> {
  let left = objectsPerLook
  for (const cache of caches) {
    for (const object of cache.tree.clone().values()) {
      visit(object)
      if (--left > 0) continue
      left = objectsPerLook
      if (turnIsSpent()) await nextTurn()
    }
  }
}
