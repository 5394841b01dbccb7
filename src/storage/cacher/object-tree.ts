import sortedBtree from 'sorted-btree'
import { compareUnits } from '../../lib/compare-text.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { prefixEnd } from '../key-range.ts'
import type { Key } from '../revision.ts'
import type { Predicate, StoredObject } from '../storage.ts'
import type { Stored } from '../stored-object.ts'

// The package is CommonJS. Its default import is the exports object in Node and esbuild, and the class itself in tsx.
const Tree = 'default' in sortedBtree ? sortedBtree.default : sortedBtree
/** Return value that ends a walk of the tree. */
const stop = { break: 0 }

/** Objects ordered by key. A clone takes constant time and shares nodes that do not change later. */
export type ObjectTree = InstanceType<typeof Tree<Key, Stored>>

/** Entries of a node. */
export const TREE_NODE_SIZE = 32

/**
 * Creates an empty tree. Keys are compared by UTF-16 units, which for ASCII, and so for keys of objects, is the order
 * of bytes.
 */
export const emptyTree = (): ObjectTree => new Tree<Key, Stored>(undefined, compareUnits, TREE_NODE_SIZE)

/** Returns a copy of the tree with `make` applied to each object, in slices. `tree` must not change meanwhile. */
export async function copyTree(tree: ObjectTree, make: (object: Stored) => Stored): Promise<ObjectTree> {
  const copy = tree.clone()
  const end = copy.maxKey()
  let from = copy.minKey()
  while (from !== undefined && end !== undefined) {
    let next: Key | undefined
    let left = STEP
    copy.editRange(from, end, true, (key, object) => {
      if (left-- <= 0 && turnIsSpent()) {
        next = key
        return stop
      }
      return { value: make(object) }
    })
    from = next
    if (from !== undefined) await nextTurn()
  }
  return copy
}

/** Result of a list, and its cost. */
export interface Scan {
  /** The matching objects, in key order. */
  readonly items: readonly StoredObject[]
  /** Number of objects examined. */
  readonly looked: number
  /** Key of the last object if others may follow. */
  readonly last: Key | undefined
  /** Number of objects in the range after these; undefined if a predicate filters. */
  readonly remaining: number | undefined
}

/** Objects examined between looks at the clock, without and with a predicate, which may have to parse them. */
const STEP = 1024
const PREDICATE_STEP = 128
/** Bytes of an object that count as another object of a step with a predicate, which may read all of them. */
const BYTES_OF_OBJECT = 8 * 1024

/** Number of objects of ordinary size whose predicate costs as much as that of this object. */
export const predicateWeight = ({ size }: Stored): number => 1 + Math.floor(size / BYTES_OF_OBJECT)

/** Keys with a prefix, from `start` on. */
interface KeysFrom {
  readonly prefix: Key
  readonly start: Key
}

/**
 * Lists matching objects, up to the limit (0: all), as the tree is at the call. `count` is the number of objects from
 * `start` on, if it is known.
 */
export async function scanTree(
  live: ObjectTree,
  { prefix, start }: KeysFrom,
  predicate: Predicate,
  limit: number,
  count?: number,
): Promise<Scan> {
  const end = prefixEnd(prefix)
  const items: StoredObject[] = []
  const { everything } = predicate
  const step = everything ? STEP : PREDICATE_STEP
  let tree = live
  let more = false
  let looked = 0
  let weight = 0
  let from: Key | undefined = start
  while (from !== undefined) {
    let next: Key | undefined
    // Continuing a walk costs less than starting a new one.
    tree.forRange(from, end, false, (key, object) => {
      // As in upstream's cache, any object after a full page causes a next page, whether or not it matches.
      if (limit > 0 && items.length === limit) {
        more = true
        return stop
      }
      // The first object never ends a slice.
      if (weight >= step && key !== from) {
        weight = 0
        if (turnIsSpent()) {
          next = key
          return stop
        }
      }
      looked++
      weight += everything ? 1 : predicateWeight(object)
      if (everything || predicate.matches(object.attributes())) items.push(object)
      return undefined
    })
    from = next
    if (from === undefined) break
    // A walk that is never interrupted needs no clone.
    if (tree === live) tree = live.clone()
    await nextTurn()
  }
  const last = items.at(-1)?.key
  if (!more || last === undefined) return { items, looked, last: undefined, remaining: undefined }
  if (!everything) return { items, looked, last, remaining: undefined }
  return {
    items,
    looked,
    last,
    remaining: count === undefined ? (await countFrom(tree === live ? live.clone() : tree, last, end)) - 1 : count - items.length,
  }
}

/** Counts the keys from `start` on, in slices. `tree` must not change meanwhile. */
async function countFrom(tree: ObjectTree, start: Key, end: Key): Promise<number> {
  let count = 0
  let from: Key | undefined = start
  while (from !== undefined) {
    let next: Key | undefined
    let left = STEP
    tree.forRange(from, end, false, key => {
      if (left-- === 0) {
        left = STEP
        if (turnIsSpent()) {
          next = key
          return stop
        }
      }
      count++
      return undefined
    })
    from = next
    if (from !== undefined) await nextTurn()
  }
  return count
}

/** Returns all objects with a prefix, in key order; undefined if they are more than a caller can parse in one turn. */
export function fewBelow(tree: ObjectTree, prefix: Key): readonly Stored[] | undefined {
  const items: Stored[] = []
  tree.forRange(prefix, prefixEnd(prefix), false, (_key, object) => (items.push(object) > PREDICATE_STEP ? stop : undefined))
  return items.length > PREDICATE_STEP ? undefined : items
}

/**
 * Lists like `scanTree`, but examines only the given objects. They are in key order, in the tree, and include every
 * match.
 */
export function pickFrom(
  objects: readonly Stored[],
  tree: ObjectTree,
  { prefix, start }: KeysFrom,
  predicate: Predicate,
  limit: number,
): Omit<Scan, 'remaining'> {
  const items: StoredObject[] = []
  let looked = 0
  for (const object of objects) {
    if (object.key < start) continue
    looked++
    if (!predicate.matches(object.attributes())) continue
    items.push(object)
    if (items.length !== limit) continue
    const after = tree.nextHigherKey(object.key)
    return { items, looked, last: after !== undefined && after < prefixEnd(prefix) ? object.key : undefined }
  }
  return { items, looked, last: undefined }
}
