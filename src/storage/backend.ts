import type { Key, Revision } from './revision.ts'
import type { StoreHistory } from './store-history.ts'

/** A key with its value as stored. The bytes are never mutated; they may pin those of all that came with them, so what is kept for long is copied. */
export interface KeyValue {
  readonly key: Key
  readonly value: Buffer
  readonly createRevision: Revision
  readonly modRevision: Revision
}

export interface RangePage {
  readonly items: readonly KeyValue[]
  /** The store's revision at which the answer was made; with `at`, still the newest one. */
  readonly revision: Revision
  readonly more: boolean
  /** Number of keys in the range from `start` on, this page included. Present if the query asks for it, and in a store that counts anyway. */
  readonly count?: number
}

export interface RangeQuery {
  /** First key, inclusive. */
  readonly start: Key
  /** End of the range, exclusive. */
  readonly end: Key
  readonly limit?: number
  /** Read as of this revision. Fails with `compacted` where it is gone, `future` where it has not come. */
  readonly at?: Revision
  /** The page has `count`. The store looks at each key of the range then, however few the page has. Default: false. */
  readonly counted?: boolean
  /** No items, but `count`. */
  readonly countOnly?: boolean
  /** Values are empty, and createRevision is 0 where it would cost a read. */
  readonly keysOnly?: boolean
  /**
   * Optional. A store that need not copy values to read them calls it with each item, in order, in place of returning it: the value is valid until it returns. Other stores return the items. If the range fails
   * halfway, some items have been visited.
   */
  readonly visit?: (item: KeyValue) => void
}

export interface BackendEvent {
  readonly type: 'put' | 'delete'
  readonly key: Key
  readonly modRevision: Revision
  /** Equal to modRevision where the put created the key; 0 for deletes. */
  readonly createRevision: Revision
  /** Absent for deletes. */
  readonly value?: Buffer
  /** The value before, where the watch asked for it and it is not compacted. */
  readonly previous?: KeyValue
}

/** Whole revisions only: a revision's events never come in two batches. An empty batch is progress. */
export interface BackendBatch {
  readonly events: readonly BackendEvent[]
  /** Every event up to this revision has been given. */
  readonly revision: Revision
}

export interface BackendWatch {
  readonly start: Key
  readonly end: Key
  /** First revision wanted, inclusive. */
  readonly from: Revision
  readonly previous?: boolean
  /** Empty batches report how far the watch has come: now and then, and when it is requested. Only in a store whose `watchProof` is `progress`. Default: false. */
  readonly progress?: boolean
  /**
   * Called once the store has accepted the watch: every change from `from` on will come, or the iteration throws. `requestProgress` is passed if `progress` is set: it has the store report at once how far the watch
   * has come. The store may leave a request unanswered while the watch is behind.
   */
  readonly onOpen?: (requestProgress?: () => void) => void
}

/**
 * How a watch shows that no change is missing. `revisions`: every revision of the store appears in a watch over the whole keyspace. `progress`: a watch over any range reports the revision that it has come to, and every
 * change up to it was given before.
 */
export type WatchProof = 'revisions' | 'progress'

/** What a guarded write expects of its key: its mod revision, or 0 where it must not exist. */
export type Expected = Revision | 0

export interface GuardedWrite {
  readonly key: Key
  readonly expected: Expected
  /** Absent: the key is deleted. */
  readonly value?: Buffer
  readonly ttlSeconds?: number
}

export type WriteResult =
  | { readonly ok: true; readonly revision: Revision }
  /** Nothing was written. `current` is the key as it is, undefined where it does not exist. */
  | { readonly ok: false; readonly current: KeyValue | undefined; readonly revision: Revision }

export type BackendErrorCode = 'compacted' | 'future' | 'unavailable' | 'timeout' | 'aborted' | 'too large' | 'corrupt' | 'denied' | 'no space'

/** Failures of a store. `unavailable` and `timeout` on a write: whether it happened is unknown. `denied`: the store's own user may not read or write these keys. `no space`: the store is over its quota, and nothing was written. */
export class BackendError extends Error {
  override readonly name = 'BackendError'
  readonly code: BackendErrorCode
  /** For `compacted`: the oldest revision that can still be read, where known. */
  readonly compactRevision: Revision | undefined

  constructor(code: BackendErrorCode, message: string, options: { compactRevision?: Revision; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.compactRevision = options.compactRevision
  }
}

/**
 * An ordered, revisioned key-value store: etcd, or the embedded one. Every change of the store has a revision of its own, one higher than the last
 * (an etcd transaction of another program may give several keys one revision).
 */
export interface Backend {
  /** Absent: it keeps no history that it can tell of. */
  readonly history?: StoreHistory | undefined
  /** All that is stored, as of the newest revision when the first piece is asked for, with the past that is kept: for a file from which another store is made. Absent: the store has snapshots of its own. */
  snapshot?(signal: AbortSignal): AsyncIterable<Buffer>
  get(key: Key, signal: AbortSignal, at?: Revision): Promise<{ item: KeyValue | undefined; revision: Revision }>
  range(query: RangeQuery, signal: AbortSignal): Promise<RangePage>
  /** Compare and swap. Resolves once the change is durable. Never applied twice. */
  write(write: GuardedWrite, signal: AbortSignal): Promise<WriteResult>
  /** Ends by throwing BackendError (`compacted` where `from` is gone, `unavailable` where the connection was lost) or when the signal aborts. */
  watch(watch: BackendWatch, signal: AbortSignal): AsyncIterable<BackendBatch>
  /** How the next watch can show that no change is missing. Omitted if all revisions appear in a watch over the whole keyspace. */
  watchProof?(signal: AbortSignal): Promise<WatchProof>
  /** Returns the newest revision. It is no older than any that a call or a watch has given before: one that is older shows that the store was restored from a copy. */
  currentRevision(signal: AbortSignal): Promise<Revision>
  /** Drops history before the revision: reads and watches from earlier ones fail with `compacted`. Nothing is dropped if another server of the store has compacted it meanwhile. */
  compact(before: Revision, signal: AbortSignal): Promise<void>
  /** Resolves if the store answers; for readiness. */
  check(signal: AbortSignal): Promise<void>
  /** Bytes that the store's database takes on its disk. */
  size(signal: AbortSignal): Promise<number>
  /** Absent: this store cannot. Throws BackendError, `compacted` or `future` where the revision cannot be read. */
  fork?(options: ForkOptions, signal: AbortSignal): Promise<BackendFork>
  close(): Promise<void>
}

export interface ForkOptions {
  /** What the fork begins with. Default: the newest revision. */
  readonly at?: Revision
  /** Of what the fork holds itself: writes beyond it fail with `too large`. What the store it comes from replaces is kept for it, up to as much again. */
  readonly maxBytes: number
  /** Called once, where that is not enough: the fork has lost part of what it began with, and is of no use any more. */
  readonly onLost: () => void
}

/**
 * A store that begins with what another held at a revision, and is its own from there on: neither sees what is written to the other. The two share what neither has changed. It lives in memory, no longer than the
 * other, and history before its beginning is compacted.
 */
export interface BackendFork extends Backend {
  /** The revision that it began with. */
  readonly forkedAt: Revision
  /** Of what it holds itself. */
  bytes(): number
  /** Keys from `start` on that were written or deleted since it began. `next`: where to go on; undefined at the end. */
  changed(start: Key): { readonly keys: readonly Key[]; readonly next: Key | undefined }
}
