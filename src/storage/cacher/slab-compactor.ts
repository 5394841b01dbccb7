import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Slabs } from '../slab.ts'
import type { Stored } from '../stored-object.ts'
import type { ResourceCache } from './resource-cache.ts'

/** Slab bytes made since the last pass that make the next one worthwhile, and at least this part of what lives. */
const worthwhile = 16 << 20
const worthwhilePart = 1 / 8
/** A slab of which less is alive is emptied: so what is dead is never more than a third of what lives. */
const leastAlive = 3 / 4
const objectsPerLook = 100

const passes = new WeakMap<Slabs, { allocated: number; live: number }>()

/**
 * Frees slabs that some long-lived objects keep alive among many that are gone: what the present states hold of them moves to slabs for such objects. History
 * drains by itself.
 */
export async function compactSlabs(caches: readonly ResourceCache[], young: Slabs, old: Slabs): Promise<void> {
  const last = passes.get(young) ?? { allocated: 0, live: 0 }
  if (young.allocated - last.allocated < Math.max(worthwhile, last.live * worthwhilePart)) return
  const slabs = new Map<ArrayBufferLike, number>()
  const pass = { allocated: young.allocated, live: 0 }
  passes.set(young, pass)
  await eachObject(caches, object => {
    slabs.set(object.slab, (slabs.get(object.slab) ?? 0) + object.size)
    pass.live += object.size
  })
  await eachObject(caches, object => {
    const { slab } = object
    if (young.isCurrent(slab) || old.isCurrent(slab)) return
    if ((slabs.get(slab) ?? slab.byteLength) < slab.byteLength * leastAlive) object.keepIn(old)
  })
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
