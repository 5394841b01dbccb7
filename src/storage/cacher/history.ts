import type { RecordedChange } from '../recorded-change.ts'
import type { Revision } from '../revision.ts'
import type { ObjectTree } from './object-tree.ts'

/** How much of the past is kept. Watches that resume from before it are served by the store. */
export interface HistoryBounds {
  /** Changes are kept for so long, */
  readonly windowMs: number
  /** but in no more bytes than these, which win. */
  readonly bytes: number
}

interface Snapshot {
  readonly tree: ObjectTree
  readonly madeAt: number
}

/** What a record takes beside the JSON of its object. */
const recordBytes = 300
/** Snapshots kept at a time. */
const snapshotLimit = 16
/** Changes undone at the most to make the state of an older revision; for more, the store is asked. */
const undoLimit = 20_000

/** The latest changes of one resource, oldest first, and states of earlier revisions made from them. */
export class History {
  readonly #bounds: HistoryBounds
  /** From `#first` on; what is dropped is let go at once, and its place later. */
  #changes: (RecordedChange | undefined)[] = []
  /** When each of them was added, by the cacher's clock. */
  #times: number[] = []
  #first = 0
  #bytes = 0
  #since: Revision
  readonly #snapshots = new Map<Revision, Snapshot>()
  /** Changes dropped to keep within the bytes before their time. */
  forcedOut = 0

  constructor(since: Revision, bounds: HistoryBounds) {
    this.#since = since
    this.#bounds = bounds
  }

  /** Every change after this revision is here. */
  get since(): Revision {
    return this.#since
  }

  get length(): number {
    return this.#changes.length - this.#first
  }

  get bytes(): number {
    return this.#bytes
  }

  add(change: RecordedChange, now: number): void {
    this.#changes.push(change)
    this.#times.push(now)
    this.#bytes += sizeOf(change)
    while (this.#bytes > this.#bounds.bytes && this.length > 1) {
      this.#drop()
      this.forcedOut++
    }
  }

  /** Forgets what is older than the window. */
  expire(now: number): void {
    const oldest = now - this.#bounds.windowMs
    for (let time = this.#times[this.#first]; time !== undefined && time < oldest; time = this.#times[this.#first]) this.#drop()
    for (const [revision, snapshot] of this.#snapshots) if (snapshot.madeAt < oldest) this.#snapshots.delete(revision)
  }

  /** Forgets what came up to the revision, and the states before it: reads and watches from there are the store's to answer. */
  forget(upTo: Revision): void {
    for (let change = this.#changes[this.#first]; change !== undefined && change.revision <= upTo; change = this.#changes[this.#first]) this.#drop()
    if (upTo > this.#since) this.#since = upTo
    for (const revision of this.#snapshots.keys()) if (revision < upTo) this.#snapshots.delete(revision)
  }

  #drop(): void {
    const change = this.#changes[this.#first]
    if (change === undefined) return
    this.#since = change.revision
    this.#bytes -= sizeOf(change)
    this.#changes[this.#first] = undefined
    this.#first++
    if (this.#first > 1024 && this.#first > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#first)
      this.#times = this.#times.slice(this.#first)
      this.#first = 0
    }
  }

  /** The changes after a revision, oldest first; undefined where some are gone. */
  after(revision: Revision): readonly RecordedChange[] | undefined {
    return revision < this.#since ? undefined : this.#changes.slice(this.#indexAfter(revision)).filter(change => change !== undefined)
  }

  #indexAfter(revision: Revision): number {
    let low = this.#first
    let high = this.#changes.length
    while (low < high) {
      const middle = (low + high) >> 1
      const change = this.#changes[middle]
      if (change !== undefined && change.revision <= revision) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Keeps the present state as that of the revision, for the pages that will be asked for. */
  remember(revision: Revision, tree: ObjectTree, now: number): void {
    if (this.#snapshots.has(revision)) return
    this.#snapshots.set(revision, { tree: tree.clone(), madeAt: now })
    for (const oldest of this.#snapshots.keys()) {
      if (this.#snapshots.size <= snapshotLimit) return
      this.#snapshots.delete(oldest)
    }
  }

  /** Objects have come into the present state that were there before: the kept states lack them. */
  forgetSnapshots(): void {
    this.#snapshots.clear()
  }

  /** The state at a revision that has been reached; undefined where it is not known. Not to be changed. */
  treeAt(revision: Revision, present: ObjectTree, now: number): ObjectTree | undefined {
    const kept = this.#snapshots.get(revision)
    if (kept) return kept.tree
    if (revision < this.#since) return undefined
    const first = this.#indexAfter(revision)
    if (first === this.#changes.length) return present
    if (this.#changes.length - first > undoLimit) return undefined
    const tree = present.clone()
    for (let i = this.#changes.length - 1; i >= first; i--) {
      const change = this.#changes[i]
      if (change?.previous !== undefined) tree.set(change.key, change.previous)
      else if (change !== undefined) tree.delete(change.key)
    }
    this.remember(revision, tree, now)
    return tree
  }

  /** Starts anew: the state is that of the revision. */
  reset(since: Revision): void {
    this.#changes = []
    this.#times = []
    this.#first = 0
    this.#bytes = 0
    this.#since = since
    this.#snapshots.clear()
  }
}

const sizeOf = (change: RecordedChange): number => recordBytes + ((change.object ?? change.previous)?.size ?? 0)
