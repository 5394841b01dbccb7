import type { Key, Revision } from './revision.ts'
import type { StoreHistory } from './store-history.ts'

/**
 * A key with its value as stored. The bytes are never mutated. They may be a slice of a larger response, which a
 * reference keeps in memory: copy what is kept for long.
 */
export interface KeyValue {
  readonly key: Key
  readonly value: Buffer
  readonly createRevision: Revision
  readonly modRevision: Revision
}

/** Where a value is in memory that its reader may keep and change. */
export interface HeldValue {
  /** Memory of a whole page, at offset 0 of its ArrayBuffer. */
  readonly memory: Buffer
  /** Offsets of the value in it. */
  readonly start: number
  readonly end: number
  /** Bytes before the value that belong to it as well. */
  readonly room: number
  /** Tells the store that the memory is kept. Otherwise later pages overwrite it. */
  keep(): void
}

/** An item of a page that is visited. */
export interface VisitedItem extends KeyValue {
  /** Optional. Omitted if the value must be copied to be kept. */
  readonly held?: HeldValue | undefined
}

/** One page of a range, in key order. */
export interface RangePage {
  readonly items: readonly KeyValue[]
  /** The newest revision of the store when it served the read, also if the query has `at`. */
  readonly revision: Revision
  readonly more: boolean
  /**
   * Number of keys in the range from `start` on, this page included. Present if the query sets `counted`, and always in
   * a store that counts anyway.
   */
  readonly count?: number
}

/** A read of the keys from `start` up to `end`. */
export interface RangeQuery {
  /** First key, inclusive. */
  readonly start: Key
  /** End of the range, exclusive. */
  readonly end: Key
  /** Optional. Maximum number of keys in the page. 0 or omitted for all. */
  readonly limit?: number
  /**
   * Optional. Revision to read as of. Fails with `compacted` if it is no longer kept, and with `future` if the store
   * has not reached it.
   */
  readonly at?: Revision
  /**
   * Whether the page has `count`, false by default. The store then visits every key of the range, however small the
   * page is.
   */
  readonly counted?: boolean
  /** Whether the page has only `count` and no items. */
  readonly countOnly?: boolean
  /** Whether values are omitted: they are empty buffers, and createRevision is 0 if it would cost a read. */
  readonly keysOnly?: boolean
  /**
   * Optional. A store that can read values without copying them calls it with each item, in order, instead of returning
   * the items. The value is valid until the call returns. Other stores return the items and never call it. If the range
   * fails halfway, some items have been visited.
   */
  readonly visit?: (item: VisitedItem) => void
}

/** One page of a range whose items are decoded as they are visited: they are never in memory together. */
export interface EncodedPage extends Omit<RangePage, 'items'> {
  /** Number of items. */
  readonly length: number
  /** Size of the encoded items in bytes. */
  readonly bytes: number
  /** Key of the last item. Undefined if the page is empty. */
  readonly last: Key | undefined
  /** Whether the store reads ranges that end at any key, and not only at the end of a prefix. */
  readonly endsAnywhere: boolean
  /**
   * Calls `take` with each item, in key order and in turns of the event loop. A value is valid until `take` returns,
   * unless it is kept: later pages of the reader reuse its memory. May be called once. Rejects if an item is malformed,
   * when earlier items have been taken.
   */
  visit(take: (item: VisitedItem) => void): Promise<void>
}

/** Reads one page like `range`, except that the items are not decoded. */
export type PageReader = (query: Pick<RangeQuery, 'start' | 'end' | 'limit' | 'at'>, signal: AbortSignal) => Promise<EncodedPage>

/** A range to read in one call. */
export type StreamedRange = Required<Pick<RangeQuery, 'start' | 'end' | 'at'>>

/** One change of a key. */
export interface BackendEvent {
  readonly type: 'put' | 'delete'
  readonly key: Key
  readonly modRevision: Revision
  /** Equal to modRevision if the put created the key; 0 for deletes. */
  readonly createRevision: Revision
  /** Omitted for deletes. */
  readonly value?: Buffer
  /** The key and value before the change. Present if the watch requested it and the store has not compacted it. */
  readonly previous?: KeyValue
}

/**
 * Events of whole revisions: those of one revision are never split over two batches. An empty batch reports progress.
 */
export interface BackendBatch {
  readonly events: readonly BackendEvent[]
  /** Every event up to and including this revision has been delivered. */
  readonly revision: Revision
}

/** A watch of the keys from `start` up to `end`. */
export interface BackendWatch {
  readonly start: Key
  readonly end: Key
  /** First revision to deliver, inclusive. */
  readonly from: Revision
  /** Whether events have `previous`. Default: false. */
  readonly previous?: boolean
  /**
   * Whether empty batches report progress: periodically, and when it is requested. Only for a store whose `watchProof`
   * is `progress`. Default: false.
   */
  readonly progress?: boolean
  /**
   * Called when the store has accepted the watch: from then on every change since `from` is delivered, or the iteration
   * throws. `requestProgress` is passed if `progress` is set. It asks the store for an immediate progress report, which
   * the store may omit while the watch is behind.
   */
  readonly onOpen?: (requestProgress?: () => void) => void
}

/**
 * How a watch proves that no change is missing. `revisions`: every revision of the store appears in a watch over the
 * whole keyspace. `progress`: a watch over any range reports the revision that it has reached, and every change up to
 * that revision was delivered before.
 */
export type WatchProof = 'revisions' | 'progress'

/** Precondition of a guarded write: the mod revision of the key, or 0 if the key must not exist. */
export type Expected = Revision | 0

/** A put or delete that happens only if the key is in the expected state. */
export interface GuardedWrite {
  readonly key: Key
  readonly expected: Expected
  /** Omitted to delete the key. */
  readonly value?: Buffer
  /** Optional. Seconds after which the store deletes the key. */
  readonly ttlSeconds?: number
}

/** Outcome of a guarded write. */
export type WriteResult =
  | { readonly ok: true; readonly revision: Revision }
  /**
   * The precondition failed and nothing was written. `current` is the key's present state; undefined if it does not
   * exist.
   */
  | { readonly ok: false; readonly current: KeyValue | undefined; readonly revision: Revision }

/** Closed set of failures. The layer above translates each of them (`errors.ts`). */
export type BackendErrorCode =
  | 'compacted'
  | 'future'
  | 'unavailable'
  | 'timeout'
  | 'aborted'
  | 'too large'
  | 'corrupt'
  | 'denied'
  | 'no space'

/**
 * Failure of a store. After `unavailable` or `timeout` it is unknown whether a write has happened. `denied`: the
 * store's own user may not read or write these keys. `no space`: the store is over its quota, and nothing was written.
 */
export class BackendError extends Error {
  override readonly name = 'BackendError'
  readonly code: BackendErrorCode
  /** The oldest revision that can still be read. Set for `compacted` if the store reports it. */
  readonly compactRevision: Revision | undefined

  constructor(code: BackendErrorCode, message: string, options: { compactRevision?: Revision; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.compactRevision = options.compactRevision
  }
}

/**
 * An ordered, revisioned key-value store: etcd, or the embedded one. Every change has a revision of its own, one higher
 * than that of the change before. The exception is an etcd transaction of another program, which may give several keys
 * one revision. Reads, writes and watches fail with BackendError.
 */
export interface Backend {
  /** Optional. Omitted if the store keeps no history with times. */
  readonly history?: StoreHistory | undefined
  /**
   * Optional. Streams everything that the store holds, including its history, as of the newest revision when the first
   * chunk is read. A new store can be filled from the chunks. Omitted if the store has snapshots of its own.
   */
  snapshot?(signal: AbortSignal): AsyncIterable<Buffer>
  /** Reads one key, as of `at` if it is given. `revision` is the store's newest. */
  get(key: Key, signal: AbortSignal, at?: Revision): Promise<{ item: KeyValue | undefined; revision: Revision }>
  /** Reads one page of a range, in key order. */
  range(query: RangeQuery, signal: AbortSignal): Promise<RangePage>
  /**
   * Optional. Returns a reader of the pages of one range, for a caller that takes each item once. Omitted if pages
   * cannot be read without decoding them.
   */
  pageReader?(): PageReader
  /**
   * Optional. Reads a whole range at a revision in one call, in pages that the store chooses. Undefined if the store is
   * known not to support it. Throws BackendError while it is read, after which the rest can be read with `range`.
   */
  rangeStream?(query: StreamedRange, signal: AbortSignal): AsyncIterable<RangePage> | undefined
  /** Compares and swaps. Resolves when the change is durable. A write is never applied twice. */
  write(write: GuardedWrite, signal: AbortSignal): Promise<WriteResult>
  /**
   * Watches a range. Ends when the signal aborts, or by throwing BackendError: `compacted` if `from` is no longer kept,
   * `unavailable` if the connection is lost.
   */
  watch(watch: BackendWatch, signal: AbortSignal): AsyncIterable<BackendBatch>
  /**
   * Optional. Returns how the next watch proves that no change is missing. Omitted if all revisions appear in a watch
   * over the whole keyspace.
   */
  watchProof?(signal: AbortSignal): Promise<WatchProof>
  /**
   * Returns the newest revision. It is never older than one that a call or watch has returned before; an older one
   * means that the store was restored from a copy.
   */
  currentRevision(signal: AbortSignal): Promise<Revision>
  /**
   * Drops history before the revision: reads and watches from earlier ones fail with `compacted`. Does nothing if
   * another server has compacted the store in the meantime.
   */
  compact(before: Revision, signal: AbortSignal): Promise<void>
  /** Readiness check. Resolves if the store responds. */
  check(signal: AbortSignal): Promise<void>
  /** Returns the size of the store's database on disk, in bytes. */
  size(signal: AbortSignal): Promise<number>
  /**
   * Optional. Creates a fork of the store at a revision. Throws BackendError: `compacted` or `future` if the revision
   * cannot be read.
   */
  fork?(options: ForkOptions, signal: AbortSignal): Promise<BackendFork>
  close(): Promise<void>
}

/** Start and limits of a fork. */
export interface ForkOptions {
  /** Revision that the fork starts from. Default: the newest one. */
  readonly at?: Revision
  /**
   * Limit on the fork's own data, in bytes. Writes beyond it fail with `too large`. Data that the origin replaces is
   * preserved for the fork up to the same limit again.
   */
  readonly maxBytes: number
  /**
   * Called once if the origin has replaced more than that limit: the fork has lost part of its initial state and must
   * be discarded.
   */
  readonly onLost: () => void
}

/**
 * A store that starts as a copy of another at one revision and is independent from then on: neither sees later writes
 * of the other. Unchanged data is shared. A fork lives in memory, no longer than its origin, and history before its
 * start is compacted.
 */
export interface BackendFork extends Backend {
  /** Revision that the fork started from. */
  readonly forkedAt: Revision
  /** Returns the size of the fork's own data, in bytes. */
  bytes(): number
  /**
   * Lists keys that were written or deleted since the fork started, beginning with `start`. `next` is where the next
   * call continues; undefined at the end.
   */
  changed(start: Key): { readonly keys: readonly Key[]; readonly next: Key | undefined }
}
