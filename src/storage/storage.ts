import type { KubeObject } from '../api/meta/object.ts'
import type { StatusCause } from '../api/meta/v1.types.ts'
import type { Steps } from '../lib/steps.ts'
import type { SelectableLabels } from '../meta/label-matcher.ts'
import type { HeldValue } from './backend.ts'
import type { ByteBudget } from './byte-budget.ts'
import type { ReadFault } from './read-fault.ts'
import type { Key, Revision } from './revision.ts'

/** Response bytes of one object in one version and media type. Shared: never mutate. */
export interface Encoded {
  /** Response body. JSON has the form `{"kind":…,"apiVersion":…,"metadata":…}`, without a newline at the end. */
  readonly bytes: Buffer
  /**
   * Offset at which the type header ends: `{` + bytes.subarray(header) is the object without kind and apiVersion, as in
   * the items of a built-in list.
   */
  readonly header: number
  /**
   * Optional. Set by codecs if the bytes are the stored ones with only the resourceVersion inserted and trailing space
   * removed.
   */
  readonly verbatim?: boolean
}

/**
 * Encodes an object as response bytes. There is one encoder per version and media type; they are compared by identity.
 */
export interface Encoder {
  /** Unique among all encoders: `json`, `protobuf;apps/v1`. */
  readonly id: string
  /** Returns the response bytes of an object, which it does not change. */
  encode(object: KubeObject): Encoded
  /**
   * Optional. Encodes directly from the object's JSON, into memory that the next call overwrites. Undefined if this
   * object has to be encoded with `encode`. Only one encoder of a version has it.
   */
  transcode?(json: Encoded): Encoded | undefined
}

/** Attributes that selectors and indexes use. */
export interface Attributes {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string
  /** metadata.name. */
  readonly name: string
  readonly uid: string
  /** Labels for matching. They need not be a parsed object. */
  readonly labels: SelectableLabels
  /** Selectable fields by name, including metadata.name and metadata.namespace. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * An object as stored, with the revision that wrote it. It is shared by all readers: neither the object nor the bytes
 * may be mutated.
 */
export interface StoredObject {
  readonly key: Key
  /** Mod revision. For the object of a deletion, the revision of the deletion. */
  readonly revision: Revision
  /** Returns the parsed object, which is parsed at the first call. metadata.resourceVersion is set. */
  object(): KubeObject
  /**
   * Optional. Parses a large object in turns and resolves with the result of `object`. Undefined if `object` is fast.
   */
  objectInTurns?(): Promise<KubeObject> | undefined
  /** Returns the JSON encoding in the storage version, which is always in memory. */
  json(): Encoded
  /**
   * Optional. Prepares in turns the encoding that `json` returns. Undefined if it is in memory or fast to make. Rejects
   * with the errors that `json` would throw.
   */
  ready?(): Promise<void> | undefined
  /** Returns the encoding for an encoder. It is made once and cached within a byte budget. */
  encoded(as: Encoder): Encoded
  /** Returns the cached encoding of the encoder with this id; undefined if it is not cached. */
  kept(id: string): Encoded | undefined
  /** Like `encoded`, without caching the result: the next call for any object may overwrite the bytes. */
  passing(as: Encoder): Encoded
  /** Size of the encoding in bytes. Once known it is returned without encoding. */
  sizeOf(as: Encoder): number
  /** Optional. Returns the value that `note` has cached for this owner; undefined if it was dropped. */
  noted?(by: object): unknown
  /**
   * Optional. Caches a value derived from the object, within a byte budget: one for each owner (`by`). Omitted if the
   * object caches nothing.
   */
  note?(by: object, value: object, bytes: number): void
  /** Returns the attributes that selectors and indexes use. */
  attributes(): Attributes
}

/** Allocates a buffer of `size` bytes, which may be uninitialised. */
export type Allocate = (size: number) => Buffer

/** Response JSON that begins at an offset of the memory of its stored value. */
export interface PlacedJson {
  /** Offset of the first byte. */
  readonly at: number
  /** Number of bytes. */
  readonly size: number
  /** `header` and `verbatim` have the meaning of those in `Encoded`. */
  readonly header: number
  readonly verbatim: boolean
}

/** Converts the objects of a resource to stored bytes and back. */
export interface ResourceCodec {
  /** Budget of the caches of parsed objects and encodings. All codecs of a server share one. */
  readonly derived: ByteBudget
  /** Encodes an object for storage: in the storage version, without a resourceVersion. */
  encode(object: KubeObject): Buffer
  /** Encodes like `encode`, in steps, for objects that may be large. */
  encodeInSteps(object: KubeObject): Steps<Buffer>
  /**
   * Returns the response JSON of encoded bytes, with the revision inserted. If this program wrote them it is a text
   * splice. `allocate` provides the memory of the result. Throws if the bytes cannot be read.
   */
  json(stored: Buffer, revision: Revision, allocate?: Allocate): Encoded
  /**
   * Decodes encoded bytes in turns, so that `json` of the same buffer is fast. Undefined if they are short, or need not
   * be decoded. Never rejects: a fault is reported by `json`.
   */
  prepareJson(stored: Buffer): Promise<void> | undefined
  /** Decodes and defaults encoded bytes. */
  decode(stored: Buffer, revision: Revision): KubeObject
  /** Transforms encoded bytes into the stored value, which may be encrypted. */
  toStorage(encoded: Buffer, key: Key): Buffer
  /**
   * Returns the response JSON of a stored value. It is not `verbatim` if the value would be written in another form
   * now, for example under another key: writing the same content then changes the store. Throws StorageError `corrupt`
   * with the fault if the value cannot be read.
   */
  fromStorage(held: Buffer, key: Key, revision: Revision, allocate?: Allocate): Encoded
  /**
   * Makes the response JSON of a stored value in the value's own memory. Undefined if the value must be read by
   * `fromStorage`: its memory has not changed then.
   */
  fromHeld(held: HeldValue, revision: Revision): PlacedJson | undefined
  /** `prepareJson` for `fromStorage` of the same buffer. */
  prepare(held: Buffer, key: Key, revision: Revision): Promise<void> | undefined
  /** Returns the attributes of a decoded object, by the selectable fields of its resource. */
  attributes(object: KubeObject): Attributes
  /**
   * Optional. Returns the value of the indexed field in a response JSON that `json` or `fromStorage` returned. Omitted
   * if the resource has no index.
   */
  indexed?(json: Encoded): string
}

/**
 * Consistency of a read. `latest`: consistent; `any`: from the cache, however old; `notOlderThan`, `exactly`:
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export type ReadAt = 'latest' | 'any' | { readonly notOlderThan: Revision } | { readonly exactly: Revision }

/** A label that must be present with one of the values. */
export interface RequiredLabel {
  /** Key of the label. */
  readonly label: string
  /** Distinct. */
  readonly values: readonly string[]
}

/** Filter of a list or watch, with hints for indexes. Hints never exclude a match. */
export interface Predicate {
  /** Reports whether an object is part of the result. */
  matches(attributes: Attributes): boolean
  /** Index hints: only objects with this name (or in this namespace) can match. */
  readonly name?: string
  readonly namespace?: string
  /** Optional. Returns the only value that a field can have in a match; undefined if several are possible. */
  requires?(field: string): string | undefined
  /** Labels that every match has, each with one of its values. */
  readonly labels?: readonly RequiredLabel[]
  /** Optional. Whether an object is in the shard that the request selects, as every match is. */
  inShard?(attributes: Attributes): boolean
  /** Whether every object matches. Remaining counts are exact then. */
  readonly everything: boolean
}

/** A list of one resource, or of a page of it. */
export interface ListQuery {
  readonly at: ReadAt
  readonly predicate: Predicate
  /** Objects per page. 0: all. */
  readonly limit: number
  /** Whether a response from the cache ignores the limit, as upstream's does for version 0. */
  readonly wholeFromCache?: boolean
  /**
   * First key of the page, from a continue token. It is read with `exactly`, where a revision that the store has not
   * reached fails immediately with `future revision`.
   */
  readonly startKey?: Key
}

/** One page of a list, in key order. */
export interface Page {
  /** Objects that match, at most `limit`. */
  readonly items: readonly StoredObject[]
  /** Resource version of the collection. */
  readonly revision: Revision
  /** First key of the next page; undefined at the end. */
  readonly nextKey: Key | undefined
  /** Number of objects after this page; undefined if a predicate filters, or if the number is unknown. */
  readonly remaining: number | undefined
}

/** Event of a watch. `revision` is that of the change, also for deletions. */
export type StorageEvent =
  | { readonly type: 'added' | 'deleted'; readonly object: StoredObject; readonly revision: Revision }
  /** `previous` is the state before the change. */
  | { readonly type: 'modified'; readonly object: StoredObject; readonly revision: Revision; readonly previous: StoredObject }
  /** All changes up to the revision have been delivered. `initialEnd`: it ends the initial events. */
  | { readonly type: 'bookmark'; readonly revision: Revision; readonly initialEnd: boolean }

/** A watch of one resource. */
export interface WatchQuery {
  /**
   * `after`: changes after this revision. `initial`: first `added` events for the present state at this consistency,
   * then its changes.
   */
  readonly start: { readonly after: Revision } | { readonly initial: ReadAt; readonly bookmarkAtEnd: boolean }
  /** Filter of the events. An object that begins or ceases to match is added or deleted. */
  readonly predicate: Predicate
  /** Whether bookmarks are delivered periodically. */
  readonly bookmarks: boolean
  /** Optional. Time on the steady clock at which the client's watch ends. A bookmark is sent shortly before. */
  readonly deadline?: number
}

/** An open watch. */
export interface Watcher {
  /**
   * Passes every batch to `take`, in order. A batch is passed in the turn of the event loop in which it arrives if the
   * previous one has been taken. The object of a deleted event is the last state, with the revision of its deletion.
   * May be called once. Resolves when the watch has ended, and rejects with the failure that ended it or an error that
   * `take` throws.
   *
   * `joined`: queued batches are joined while together they have fewer events than this, for a taker with expensive
   * calls. `begun`: called once, when the initial events have been taken.
   */
  deliver(take: Take, joined?: number, begun?: () => void): Promise<void>
  /** Ends the watch. `slow`: the client did not keep up, which is counted. */
  close(slow?: boolean): void
}

/**
 * Consumer of batches. `own`: no other watcher gets this array. If it returns a promise, it gets no batch until that
 * resolves. False, returned or resolved, closes the watch.
 */
export type Take = (batch: readonly StorageEvent[], own?: boolean) => boolean | Promise<boolean>

/** Change that a write makes. */
export type StorageChange =
  | { readonly put: KubeObject; readonly ttlSeconds?: number }
  | { readonly delete: true }
  /** Writes nothing. The outcome is `unchanged`. */
  | { readonly keep: true }

/** Change of a key, and the result that the writer gets once the change is durable. */
export interface WriteDecision<T> {
  /** Change to make if the object is still the one that was passed to `decide`. */
  readonly change: StorageChange
  /** Returned by `write` if this decision is the one that is applied. */
  readonly result: T
}

/** Decides on a change from the present object; undefined if there is none. */
export type Decide<T> = (now: StoredObject | undefined) => Promise<WriteDecision<T>>

/** Outcome of a write that has succeeded. */
export interface Written<T> {
  /** The new state. After a deletion, the last state with the revision of the deletion. */
  readonly object: StoredObject
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted'
  /** Result of the decision that was applied. */
  readonly result: T
}

/**
 * `future revision`: an exact read from the store asked for a revision that the store has not reached. `initializing`:
 * the cache has no state yet, and the read is not one that the store serves. `not transformed`: the object to write
 * cannot be encrypted.
 */
export type StorageErrorCode =
  | 'not found'
  | 'exists'
  | 'conflict'
  | 'expired'
  | 'too large revision'
  | 'future revision'
  | 'unavailable'
  | 'initializing'
  | 'timeout'
  | 'corrupt'
  | 'not transformed'
  | 'too large'
  | 'no space'

/** Details of a StorageError, by its members of the same names. */
export interface StorageErrorOptions {
  /** Key of the object that the failure concerns. */
  readonly key?: Key
  readonly revision?: Revision
  readonly cause?: unknown
  readonly fault?: ReadFault
  readonly causes?: readonly StatusCause[]
  readonly unreasoned?: boolean
  readonly retryAfterSeconds?: number
}

/** Failures of this layer. The registry translates them into a Status. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** Kind of failure, by which the registry chooses the Status. */
  readonly code: StorageErrorCode
  /** Key of the object that the failure concerns. Undefined if it concerns no single object. */
  readonly key: Key | undefined
  /** The newest known revision if the code is `too large revision`; the oldest one if it is `expired`. */
  readonly revision: Revision | undefined
  /**
   * Why an object cannot be read. Set for `corrupt` if that is the cause; in a list, it is that of the first such
   * object.
   */
  readonly fault: ReadFault | undefined
  /** Causes in the Status, which then says that reading the store failed. Only for `corrupt`. */
  readonly causes: readonly StatusCause[] | undefined
  /** Whether the Status has the message and no reason. Only for `corrupt`. */
  readonly unreasoned: boolean
  /** Seconds after which the client should retry. Only for `initializing`. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: StorageErrorCode, message: string, options: StorageErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.key = options.key
    this.revision = options.revision
    this.fault = options.fault
    this.causes = options.causes
    this.unreasoned = options.unreasoned === true
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Typed objects of one resource. Failures are StorageErrors. */
export interface Storage {
  /**
   * Whether reads go through the watch cache. Clients notice: the cache waits for a future revision, which the store
   * refuses immediately, and some messages differ.
   */
  readonly cached: boolean
  /** Returns an object. Undefined if there is none at the key. */
  get(key: Key, at: ReadAt, signal: AbortSignal): Promise<StoredObject | undefined>
  /**
   * Returns the present object of the watch cache without waiting. Undefined if the cache has none, or if there is no
   * populated cache.
   */
  cachedObject(key: Key): StoredObject | undefined
  /**
   * Returns all objects of the watch cache with a prefix, without waiting. Also undefined if there are many: `list`
   * reads those in turns.
   */
  cachedObjects(prefix: Key): readonly StoredObject[] | undefined
  /**
   * Lists objects in key order. `prefix` ends with a slash: that of the resource, or of a namespace in it. Without a
   * cache it may be a single key, without a slash.
   */
  list(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page>
  /**
   * Resolves once the start is established; throws StorageError `expired` if it is no longer kept. The watch fails with
   * `expired` if history is lost, and ends if the watcher is too slow.
   */
  watch(prefix: Key, query: WatchQuery, signal: AbortSignal): Promise<Watcher>
  /**
   * Compares and swaps on the mod revision. `decide` may run more than once. An error that it throws is passed on,
   * unless it ran on an assumed object that turns out to be stale: then it runs again on the newer one. Storage
   * encodes: a put is `unchanged` only if the encoded bytes equal the stored ones and the transformer does not report
   * those as stale. `assume` is the present state as far as the caller knows, and saves the first read.
   */
  write<T>(key: Key, decide: Decide<T>, signal: AbortSignal, assume?: StoredObject | 'absent'): Promise<Written<T>>
  /**
   * Deletes an object that cannot be read, and only such a one. As upstream, it checks no precondition and no
   * finalizer, because both are part of the object. With `dryRun` nothing is deleted.
   */
  removeCorrupt(key: Key, signal: AbortSignal, dryRun?: boolean): Promise<'removed' | 'readable' | 'absent'>
  /** Returns the current revision of the store, read consistently. */
  currentRevision(signal: AbortSignal): Promise<Revision>
  /** Number of objects of the resource, for metrics; undefined if it is unknown without a read. */
  count(): number | undefined
}
