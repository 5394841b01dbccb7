import type { Key, Revision } from './revision.ts'

/** A state of the store, and when it began: its last change was made then. */
export interface Moment {
  readonly revision: Revision
  /** Milliseconds since 1970. */
  readonly time: number
}

/** One change of a key that is kept. */
export interface KeyChange {
  readonly type: 'created' | 'updated' | 'deleted'
  readonly revision: Revision
  /** Undefined where it was made before the store began to keep history. */
  readonly time: number | undefined
  /** What was written; absent for a deletion. */
  readonly value?: Buffer
}

export interface KeyChanges {
  /** Newest first. */
  readonly changes: readonly KeyChange[]
  /** Where the next page begins; 0 on the last. */
  readonly next: Revision
}

export interface ChangesQuery {
  /** Begin with this change, which is one of the key; absent: with the newest. */
  readonly from?: Revision
  /** Begin with the change that was the newest at this revision; absent: now. Fails with `compacted` and `future`. */
  readonly at?: Revision | undefined
  readonly limit: number
  /** Values read for a page, beyond which no other is begun. */
  readonly bytes: number
}

/** What a store knows of its past, where it was asked to keep it. Times go forward with revisions, also where the clock was set back: then they stand still until it has caught up. */
export interface StoreHistory {
  /** From which moment on all states can be read. */
  oldest(): Moment
  /** The state at a time; undefined where it is older than the oldest. */
  momentAt(time: number): Moment | undefined
  /** Undefined for revisions from before the store began to keep history. Fails with `compacted` and `future`. */
  timeOf(revision: Revision): number | undefined
  /** The changes of a key that are kept, over all of its incarnations; the first of them shows what it was at the oldest revision. Fails with `compacted` where `from` is gone meanwhile, and is none of the key's. */
  changes(key: Key, query: ChangesQuery, signal: AbortSignal): Promise<KeyChanges>
  /** States that can be read, and the bytes that are kept for the past alone: replaced values and deletions. */
  size(): { readonly revisions: number; readonly bytes: number }
  /** Drops what is older than a time, and then the oldest, until what is left has no more than so many bytes. Resolves with the oldest revision that is kept. */
  retain(since: number, mostBytes: number): Promise<Revision>
}
