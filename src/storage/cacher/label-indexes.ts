import { SHARED_TURNS } from '../../lib/turn.ts'
import { labelValue } from '../../meta/label-matcher.ts'
import type { Key } from '../revision.ts'
import type { RequiredLabel } from '../storage.ts'
import type { Stored } from '../stored-object.ts'
import { type ObjectTree, predicateWeight } from './object-tree.ts'
import { ValueIndex } from './value-index.ts'

/** Number of wasteful lists by a label after which it is indexed. */
const SCANS = 3
/** Objects below which a scan is always cheap. */
const MIN_LOOKED = 1000
/**
 * Ratio of objects scanned to objects found at which an index pays off. Scanning an object costs that much less than
 * finding it in an index and sorting it.
 */
const GAIN = 16
/** Matches that are sorted in one turn. With more, a scan in steps is better. */
const MAX_FOUND = 4000
/** Number of labels that are indexed at a time, and number of those whose wasteful lists are counted. */
const MAX_INDEXES = 4
const MAX_COUNTED = 32
/** Objects of ordinary size that are added to a new index between looks at the clock. */
const STEP = 256

interface LabelIndex {
  readonly index: ValueIndex
  /** Keys written while the index is being built; undefined once it is complete. */
  written: Set<Key> | undefined
}

/** Removes the oldest entry of a map if it exceeds its bound. To be called after each addition. */
function dropOldest(map: Map<string, unknown>, bound: number): void {
  if (map.size <= bound) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

const byLabel = (label: string): ValueIndex => new ValueIndex(({ labels }) => labelValue(labels, label))

/**
 * Indexes of the labels that lists select repeatedly. They need no declaration: one is built after several wasteful
 * lists, in steps beside other work, and replaces the one that was not used for longest.
 */
export class LabelIndexes {
  /** By label, least recently used first. */
  readonly #indexes = new Map<string, LabelIndex>()
  readonly #scans = new Map<string, number>()
  readonly #turns: typeof SHARED_TURNS

  constructor(turns = SHARED_TURNS) {
    this.#turns = turns
  }

  put(object: Stored, previous: Stored | undefined): void {
    for (const { index, written } of this.#indexes.values()) {
      index.put(object, previous)
      written?.add(object.key)
    }
  }

  remove(object: Stored): void {
    for (const { index, written } of this.#indexes.values()) {
      index.remove(object)
      written?.add(object.key)
    }
  }

  /** Returns a superset of the matching objects, in key order; undefined if a scan of all `size` objects is as good. */
  find(required: readonly RequiredLabel[], size: number, prefix: Key): Stored[] | undefined {
    let best: { readonly label: string; readonly values: readonly string[]; readonly kept: LabelIndex } | undefined
    let fewest = Math.min(size / GAIN, MAX_FOUND)
    for (const { label, values } of required) {
      const kept = this.#indexes.get(label)
      if (kept === undefined || kept.written !== undefined) continue
      let count = 0
      for (const value of values) count += kept.index.count(value)
      if (count > fewest) continue
      fewest = count
      best = { label, values, kept }
    }
    if (best === undefined) return undefined
    this.#indexes.delete(best.label)
    this.#indexes.set(best.label, best.kept)
    return best.kept.index.below(best.values, prefix)
  }

  /** Records a list that scanned `looked` present objects and returned `given` of them. May start to build an index. */
  scanned(required: readonly RequiredLabel[], looked: number, given: number, tree: ObjectTree): void {
    if (looked < MIN_LOOKED || given > looked / GAIN) return
    for (const { label } of required) {
      if (this.#indexes.has(label)) continue
      const scans = (this.#scans.get(label) ?? 0) + 1
      this.#scans.delete(label)
      if (scans < SCANS) {
        this.#scans.set(label, scans)
        dropOldest(this.#scans, MAX_COUNTED)
      } else void this.#make(label, tree)
    }
  }

  /** Builds an index. Writes update it meanwhile, and their keys are skipped in the tree, which is older. */
  async #make(label: string, live: ObjectTree): Promise<void> {
    const written = new Set<Key>()
    const made: LabelIndex = { index: byLabel(label), written }
    this.#indexes.set(label, made)
    dropOldest(this.#indexes, MAX_INDEXES)
    let weight = 0
    for (const [key, object] of live.clone().entries()) {
      weight += predicateWeight(object)
      if (weight >= STEP) {
        weight = 0
        if (this.#turns.spent()) await this.#turns.next()
        // It was evicted, or the state was reloaded.
        if (this.#indexes.get(label) !== made) return
      }
      if (!written.has(key)) made.index.put(object, undefined)
    }
    made.written = undefined
  }

  /** Drops all indexes, because the state was reloaded. */
  clear(): void {
    this.#indexes.clear()
  }
}
