import type { Key, Revision } from './revision.ts'

/** A state of the store, and the time of the change that created it. */
export interface Moment {
  readonly revision: Revision
  /** Milliseconds since 1970. */
  readonly time: number
}

/** One retained change of a key. */
export interface KeyChange {
  readonly type: 'created' | 'updated' | 'deleted'
  readonly revision: Revision
  /** Undefined if the change was made before the store began to keep history. */
  readonly time: number | undefined
  /** The value written; omitted for a deletion. */
  readonly value?: Buffer
}

/** One page of a key's changes. */
export interface KeyChanges {
  /** Newest first. */
  readonly changes: readonly KeyChange[]
  /** Revision at which the next page begins; 0 on the last. */
  readonly next: Revision
}

/** A page of a key's changes. */
export interface ChangesQuery {
  /** Optional. First change of the page, which must be one of the key. Default: the newest. */
  readonly from?: Revision
  /**
   * Optional. Begin with the change that was the newest at this revision. Default: the present. Fails with `compacted`
   * and `future`.
   */
  readonly at?: Revision | undefined
  readonly limit: number
  /** Bytes of values on a page after which no other value is added. */
  readonly bytes: number
}

/**
 * The past of a store that keeps history. Times never decrease as revisions increase: if the clock is set back, they
 * stand still until it has caught up.
 */
export interface StoreHistory {
  /** Returns the oldest state that can be read. All later ones can be read, too. */
  oldest(): Moment
  /** Returns the state at a time, in milliseconds since 1970; undefined if it is older than the oldest. */
  momentAt(time: number): Moment | undefined
  /** Returns the time of a revision; undefined if it precedes the history. Fails with `compacted` and `future`. */
  timeOf(revision: Revision): number | undefined
  /**
   * Returns retained changes of a key, over all its incarnations. The first of them is the state at the oldest
   * revision. Fails with `compacted` if `from` was compacted in the meantime and is no longer a change of the key.
   */
  changes(key: Key, query: ChangesQuery, signal: AbortSignal): Promise<KeyChanges>
  /** Number of states that can be read, and bytes kept only for the past: replaced values and deletions. */
  size(): { readonly revisions: number; readonly bytes: number }
  /**
   * Drops states older than a time, and then the oldest ones until at most `mostBytes` remain. Resolves with the oldest
   * revision that is kept.
   */
  retain(since: number, mostBytes: number): Promise<Revision>
}
