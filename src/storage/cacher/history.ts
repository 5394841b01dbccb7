import type { RecordedChange } from '../recorded-change.ts'
import type { Revision } from '../revision.ts'
import type { ObjectTree } from './object-tree.ts'

/** Bounds of the history. A watch that resumes from before it is served by the store. */
export interface HistoryBounds {
  /** Time for which changes are kept, in milliseconds. */
  readonly windowMs: number
  /** Limit on their bytes. It takes precedence over the time. */
  readonly bytes: number
}

interface Snapshot {
  readonly tree: ObjectTree
  readonly madeAt: number
}

/** Estimated memory of a change besides the JSON of its object, in bytes. */
const RECORD_BYTES = 300
/** Number of snapshots kept. */
const SNAPSHOT_LIMIT = 16
/** Number of changes that may be undone to rebuild an older state. Beyond it the store is read. */
const UNDO_LIMIT = 20_000

/** The latest changes of one resource, oldest first, and earlier states rebuilt from them. */
export class History {
  readonly #bounds: HistoryBounds
  /** Starts at `#first`. Dropped changes are cleared at once, and their slots removed later, in bulk. */
  #changes: (RecordedChange | undefined)[] = []
  /** When each change was added, on the cacher's clock. */
  #times: number[] = []
  #first = 0
  #bytes = 0
  #since: Revision
  readonly #snapshots = new Map<Revision, Snapshot>()
  /** Number of changes that the byte limit dropped before their time. */
  forcedOut = 0

  constructor(since: Revision, bounds: HistoryBounds) {
    this.#since = since
    this.#bounds = bounds
  }

  /** Every change after this revision is in the history. */
  get since(): Revision {
    return this.#since
  }

  get length(): number {
    return this.#changes.length - this.#first
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Changes come in the order of their revisions. The newest is kept even if it alone exceeds the limit of bytes. */
  add(change: RecordedChange, now: number): void {
    this.#changes.push(change)
    this.#times.push(now)
    this.#bytes += recordSize(change)
    while (this.#bytes > this.#bounds.bytes && this.length > 1) {
      this.#drop()
      this.forcedOut++
    }
  }

  /** Drops changes and snapshots older than the window. */
  expire(now: number): void {
    const oldest = now - this.#bounds.windowMs
    for (let time = this.#times[this.#first]; time !== undefined && time < oldest; time = this.#times[this.#first]) this.#drop()
    for (const [revision, snapshot] of this.#snapshots) if (snapshot.madeAt < oldest) this.#snapshots.delete(revision)
  }

  /**
   * Drops changes up to the revision, and snapshots before it. Reads and watches from there are served by the store.
   */
  forget(upTo: Revision): void {
    for (let change = this.#changes[this.#first]; change !== undefined && change.revision <= upTo; change = this.#changes[this.#first])
      this.#drop()
    if (upTo > this.#since) this.#since = upTo
    for (const revision of this.#snapshots.keys()) if (revision < upTo) this.#snapshots.delete(revision)
  }

  /**
   * Drops the oldest change. The arrays are compacted when more than half of their slots are empty, so that dropping
   * takes constant time on average.
   */
  #drop(): void {
    const change = this.#changes[this.#first]
    if (change === undefined) return
    this.#since = change.revision
    this.#bytes -= recordSize(change)
    this.#changes[this.#first] = undefined
    this.#first++
    if (this.#first > 1024 && this.#first > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#first)
      this.#times = this.#times.slice(this.#first)
      this.#first = 0
    }
  }

  /** Returns the changes after a revision, oldest first; undefined if some have been dropped. */
  after(revision: Revision): readonly RecordedChange[] | undefined {
    return revision < this.#since ? undefined : this.#changes.slice(this.#indexAfter(revision)).filter(change => change !== undefined)
  }

  /** Index of the first change after a revision, by binary search; the end if there is none. */
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

  /** Keeps a clone of the state at a revision, for later pages of a list. */
  remember(revision: Revision, tree: ObjectTree, now: number): void {
    if (this.#snapshots.has(revision)) return
    this.#snapshots.set(revision, { tree: tree.clone(), madeAt: now })
    for (const oldest of this.#snapshots.keys()) {
      if (this.#snapshots.size <= SNAPSHOT_LIMIT) return
      this.#snapshots.delete(oldest)
    }
  }

  /** Drops all snapshots: they lack objects that have existed before but became readable only now. */
  forgetSnapshots(): void {
    this.#snapshots.clear()
  }

  /**
   * Returns the state at a revision that has been reached; undefined if it cannot be rebuilt. The caller must not
   * change it.
   */
  treeAt(revision: Revision, present: ObjectTree, now: number): ObjectTree | undefined {
    const kept = this.#snapshots.get(revision)
    if (kept) return kept.tree
    if (revision < this.#since) return undefined
    const first = this.#indexAfter(revision)
    if (first === this.#changes.length) return present
    if (this.#changes.length - first > UNDO_LIMIT) return undefined
    const tree = present.clone()
    for (let i = this.#changes.length - 1; i >= first; i--) {
      const change = this.#changes[i]
      if (change?.previous !== undefined) tree.set(change.key, change.previous)
      else if (change !== undefined) tree.delete(change.key)
    }
    this.remember(revision, tree, now)
    return tree
  }

  /** Clears the history. The present state is that of the revision. */
  reset(since: Revision): void {
    this.#changes = []
    this.#times = []
    this.#first = 0
    this.#bytes = 0
    this.#since = since
    this.#snapshots.clear()
  }
}

const recordSize = (change: RecordedChange): number => RECORD_BYTES + ((change.object ?? change.previous)?.size ?? 0)
