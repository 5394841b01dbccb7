import sortedBtree from 'sorted-btree'
import { compareUnits } from '../../lib/compare-text.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { prefixEnd } from '../key-range.ts'
import type { Key } from '../revision.ts'
import type { Predicate, StoredObject } from '../storage.ts'
import type { Stored } from '../stored-object.ts'

// The package is CommonJS: Node and esbuild give its exports, tsx the class itself.
const Tree = 'default' in sortedBtree ? sortedBtree.default : sortedBtree
/** Ends a walk. */
const stop = { break: 0 }

/** Objects ordered by key. A clone takes constant time and shares what does not change later. */
export type ObjectTree = InstanceType<typeof Tree<Key, Stored>>

/** Keys are compared by UTF-16 units: keys of objects are ASCII, where that is the order of bytes. */
export const emptyTree = (): ObjectTree => new Tree<Key, Stored>(undefined, compareUnits)

/** A tree with what is made of each object, in slices. `tree` must not change meanwhile. */
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

/** What a list has found, and what it cost. */
export interface Scan {
  /** In the order of their keys. */
  readonly items: readonly StoredObject[]
  /** Objects looked at. */
  readonly looked: number
  /** The last object given, where more match or may match. */
  readonly last: Key | undefined
  /** Objects in the range after those given, where nothing filters. */
  readonly remaining: number | undefined
}

/** Objects that are looked at before the event loop may have its turn, and those by a predicate, which may have to parse them. */
const STEP = 1024
const PREDICATE_STEP = 128

/** Keys below a prefix, from `start` on. */
interface KeysFrom {
  readonly prefix: Key
  readonly start: Key
}

/** The objects of these keys, up to the limit (0: all), as the tree is now. `count`: how many there are from `start` on, where that is known. */
export async function scanTree(live: ObjectTree, { prefix, start }: KeysFrom, predicate: Predicate, limit: number, count?: number): Promise<Scan> {
  const end = prefixEnd(prefix)
  const items: StoredObject[] = []
  const { everything } = predicate
  const step = everything ? STEP : PREDICATE_STEP
  const tree = live.size > step ? live.clone() : live
  let more = false
  let looked = 0
  let from: Key | undefined = start
  while (from !== undefined) {
    let next: Key | undefined
    // Going on costs less than beginning anew.
    tree.forRange(from, end, false, (key, object) => {
      // As upstream's cache: any object after a full page makes a next one, whether it matches or not.
      if (limit > 0 && items.length === limit) {
        more = true
        return stop
      }
      // Never before the first: what is no longer than a step is no clone.
      if (looked > 0 && looked % step === 0 && key !== from && turnIsSpent()) {
        next = key
        return stop
      }
      looked++
      if (everything || predicate.matches(object.attributes())) items.push(object)
      return undefined
    })
    from = next
    if (from !== undefined) await nextTurn()
  }
  const last = items.at(-1)?.key
  if (!more || last === undefined) return { items, looked, last: undefined, remaining: undefined }
  if (!everything) return { items, looked, last, remaining: undefined }
  return { items, looked, last, remaining: count === undefined ? (await countFrom(tree, last, end)) - 1 : count - items.length }
}

/** Number of keys from one on, counted in slices. `tree` must not change meanwhile. */
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

/** All objects below a prefix, in the order of their keys; undefined where they are more than a caller parses in one turn. */
export function fewBelow(tree: ObjectTree, prefix: Key): readonly Stored[] | undefined {
  const items: Stored[] = []
  tree.forRange(prefix, prefixEnd(prefix), false, (_key, object) => (items.push(object) > PREDICATE_STEP ? stop : undefined))
  return items.length > PREDICATE_STEP ? undefined : items
}

/** As scanTree, looking only at these objects of the tree, which are in order and hold all that can match. */
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
