import { nextTurn } from '../../lib/turn.ts'
import type { Slabs } from '../slab.ts'
import type { Stored } from '../stored-object.ts'
import type { ResourceCache } from './resource-cache.ts'

/** Slab bytes made since the last pass that make the next one worthwhile. */
const worthwhile = 16 << 20
const objectsPerTurn = 2000

const passes = new WeakMap<Slabs, number>()

/**
 * Frees slabs that a few long-lived objects keep alive among many that are gone: what the present states hold of a slab that is less than half theirs moves to slabs
 * for such objects. History drains by itself.
 */
export async function compactSlabs(caches: readonly ResourceCache[], young: Slabs, old: Slabs): Promise<void> {
  if (young.allocated - (passes.get(young) ?? 0) < worthwhile) return
  passes.set(young, young.allocated)
  const live = new Map<ArrayBufferLike, number>()
  await eachObject(caches, object => {
    const { bytes } = object.json()
    live.set(bytes.buffer, (live.get(bytes.buffer) ?? 0) + bytes.length)
  })
  await eachObject(caches, object => {
    const { bytes } = object.json()
    if (young.isCurrent(bytes) || old.isCurrent(bytes)) return
    if ((live.get(bytes.buffer) ?? bytes.buffer.byteLength) < bytes.buffer.byteLength / 2) object.keepIn(old)
  })
}

async function eachObject(caches: readonly ResourceCache[], visit: (object: Stored) => void): Promise<void> {
  let left = objectsPerTurn
  for (const cache of caches) {
    for (const object of cache.tree.clone().values()) {
      visit(object)
      if (--left > 0) continue
      left = objectsPerTurn
      await nextTurn()
    }
  }
}
