import { SHARED_TURNS } from '../../lib/turn.ts'
import type { Key } from '../revision.ts'
import type { RequiredLabel } from '../storage.ts'
import type { Stored } from '../stored-object.ts'
import type { ObjectTree } from './object-tree.ts'
import { ValueIndex } from './value-index.ts'

/** Lists by a label that looked at far more than they gave, until it is indexed. */
const SCANS = 3
/** Below this a scan costs next to nothing. */
const MIN_LOOKED = 1000
/** Looking at one after the other costs so much less than finding and sorting as many. */
const GAIN = 16
/** What is sorted in one piece. */
const MAX_FOUND = 4000
/** Labels that are indexed at a time, and those for which scans are counted. */
const MAX_INDEXES = 4
const MAX_COUNTED = 32
/** Objects that an index takes in between looks at the clock. */
const STEP = 256

interface LabelIndex {
  readonly index: ValueIndex
  /** Keys that were written while it was being made; undefined: it is complete. */
  written: Set<Key> | undefined
}

/** Keeps a map, which its caller has added one to, within its bound: the entry that was set first goes. */
function dropOldest(map: Map<string, unknown>, bound: number): void {
  if (map.size <= bound) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}

const byLabel = (label: string): ValueIndex => new ValueIndex(({ labels }) => (Object.hasOwn(labels, label) ? labels[label] : undefined))

/**
 * Indexes by the labels that lists ask for again and again: nobody declares them, they are made when they are missed, in steps beside everything else, and the one that has not been used for
 * longest makes room for another.
 */
export class LabelIndexes {
  /** By label; used last, last. */
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

  /** Those of `size` objects that can match, in the order of their keys; undefined where a scan is as good. */
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

  /** A list has looked at so many of the present objects for those few. */
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

  /** Beside it, writes go into the index as well: what they have put there, or taken away, is newer than the tree. */
  async #make(label: string, live: ObjectTree): Promise<void> {
    const written = new Set<Key>()
    const made: LabelIndex = { index: byLabel(label), written }
    this.#indexes.set(label, made)
    dropOldest(this.#indexes, MAX_INDEXES)
    let looked = 0
    for (const [key, object] of live.clone().entries()) {
      if (++looked % STEP === 0 && this.#turns.spent()) {
        await this.#turns.next()
        // It made room for another meanwhile, or the state was read anew.
        if (this.#indexes.get(label) !== made) return
      }
      if (!written.has(key)) made.index.put(object, undefined)
    }
    made.written = undefined
  }

  /** The state has been read anew. */
  clear(): void {
    this.#indexes.clear()
  }
}
