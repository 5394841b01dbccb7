import type { Steps } from '../lib/steps.ts'
import type { KubeObject } from '../meta/object.ts'
import type { StatusCause } from '../meta/status.ts'
import type { ByteBudget } from './byte-budget.ts'
import type { ReadFault } from './read-fault.ts'
import type { Key, Revision } from './revision.ts'

/** Response bytes of one object in one version and media type. Shared: never mutate. */
export interface Encoded {
  /** For JSON: `{"kind":…,"apiVersion":…,"metadata":…}` without a newline at the end. */
  readonly bytes: Buffer
  /** Where the type header ends: `{` + bytes.subarray(header) is the object without kind and apiVersion, as items of a built-in list have it. */
  readonly header: number
  /** Set by codecs: the bytes are the stored ones with the resourceVersion put in, trailing space apart. */
  readonly verbatim?: boolean
}

/** Turns an object into response bytes: one encoder per version and media type, compared by identity. */
export interface Encoder {
  /** Unique over all encoders: `json`, `protobuf;apps/v1`. */
  readonly id: string
  encode(object: KubeObject): Encoded
  /** The same from the object's JSON, in memory that the next call overwrites; undefined where this one is to be encoded from the object. Of the encoders of a version one has it. */
  transcode?(json: Encoded): Encoded | undefined
}

/** What selectors and indexes look at. */
export interface Attributes {
  readonly namespace: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Selectable fields by their names, metadata.name and metadata.namespace included. */
  readonly fields: Readonly<Record<string, string>>
}

/** An object as stored, with the revision that wrote it. Shared by every reader: neither the object nor the bytes are ever mutated. */
export interface StoredObject {
  readonly key: Key
  readonly revision: Revision
  /** Parsed when first asked for; metadata.resourceVersion is set. */
  object(): KubeObject
  /** What `object` returns, of a large object that has to be parsed, which takes turns. Undefined or absent: `object` takes no time. */
  objectInTurns?(): Promise<KubeObject> | undefined
  /** The encoding in the storage version as JSON, which is always kept. */
  json(): Encoded
  /** Makes in turns what `json` returns, of a large object of which it is not at hand. Undefined or absent: it is, or is made soon. Rejects with what they would throw. */
  ready?(): Promise<void> | undefined
  /** Another encoding, made once and kept within a byte budget. */
  encoded(as: Encoder): Encoded
  /** The encoding of the encoder with this id, if it is kept. */
  kept(id: string): Encoded | undefined
  /** The same for one look: it is not kept, and the next call for any object may overwrite it. */
  passing(as: Encoder): Encoded
  /** Bytes of the same, which are found without making it once they were known. */
  sizeOf(as: Encoder): number
  /** What `note` has kept for this asker; undefined where it is gone. */
  noted?(by: object): unknown
  /** Keeps something that was made of the object, within a byte budget: one thing for each who asks. Absent: the object keeps nothing. */
  note?(by: object, value: object, bytes: number): void
  attributes(): Attributes
}

/** Gives room for so many bytes. */
export type Allocate = (size: number) => Buffer

/** How a resource's objects become bytes of the store and back. */
export interface ResourceCodec {
  /** Bounds what is made of its objects, and kept. Those of a server share one. */
  readonly derived: ByteBudget
  /** Bytes to store: the object in its storage version, without a resourceVersion. */
  encode(object: KubeObject): Buffer
  /** The same in steps, for objects that may be large. */
  encodeInSteps(object: KubeObject): Steps<Buffer>
  /** The response JSON of bytes to store with the revision put in; a text splice where this program wrote them. `allocate`: where it is put. Throws on bytes that cannot be read. */
  json(stored: Buffer, revision: Revision, allocate?: Allocate): Encoded
  /** Decodes and defaults. */
  decode(stored: Buffer, revision: Revision): KubeObject
  /** What the store is to hold of bytes to store: they may be encrypted. */
  toStorage(encoded: Buffer, key: Key): Buffer
  /**
   * The response JSON of what the store holds. Not `verbatim` where it would be written in another form now (under another key): then the same content is a real write.
   * Throws StorageError `corrupt` with the fault where it can't be read.
   */
  fromStorage(held: Buffer, key: Key, revision: Revision, allocate?: Allocate): Encoded
  attributes(object: KubeObject): Attributes
  /** Of a response JSON that `json` or `fromStorage` gave, the value of the field that the resource is indexed by. Absent: it is indexed by none. */
  indexed?(json: Encoded): string
}

/** `latest`: consistent · `any`: whatever is at hand · `notOlderThan`, `exactly`: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions */
export type ReadAt = 'latest' | 'any' | { readonly notOlderThan: Revision } | { readonly exactly: Revision }

export interface RequiredLabel {
  readonly label: string
  /** Different ones. */
  readonly values: readonly string[]
}

export interface Predicate {
  matches(attributes: Attributes): boolean
  /** Index hints: only objects of this name (or namespace) can match. */
  readonly name?: string
  readonly namespace?: string
  /** The value that a field has in every match, where only one can be; undefined where several can. */
  requires?(field: string): string | undefined
  /** Labels that every match has, with one of these values. */
  readonly labels?: readonly RequiredLabel[]
  /** Nothing is filtered: remaining counts are exact. */
  readonly everything: boolean
}

export interface ListQuery {
  readonly at: ReadAt
  readonly predicate: Predicate
  /** 0: all. */
  readonly limit: number
  /** What the cache answers is given whole, whatever the limit, as upstream's does for version 0. */
  readonly wholeFromCache?: boolean
  /** First key of the page, from a continue token; read with `exactly`, where a version that has not come fails at once with `future revision`. */
  readonly startKey?: Key
}

export interface Page {
  readonly items: readonly StoredObject[]
  /** The collection's version. */
  readonly revision: Revision
  /** First key of the next page; undefined at the end. */
  readonly nextKey: Key | undefined
  /** Objects after this page; undefined where a predicate filters or the number is not known. */
  readonly remaining: number | undefined
}

export type StorageEvent =
  | { readonly type: 'added' | 'deleted'; readonly object: StoredObject; readonly revision: Revision }
  /** `previous`: the state before. */
  | { readonly type: 'modified'; readonly object: StoredObject; readonly revision: Revision; readonly previous: StoredObject }
  /** All changes up to the revision have been given. `initialEnd`: it ends the initial events. */
  | { readonly type: 'bookmark'; readonly revision: Revision; readonly initialEnd: boolean }

export interface WatchQuery {
  /** Changes after this revision; `initial`: first `added` events for the present state, at least as new as `notOlderThan`, or consistent. */
  readonly start: { readonly after: Revision } | { readonly initial: ReadAt; readonly bookmarkAtEnd: boolean }
  readonly predicate: Predicate
  /** Give bookmarks now and then. */
  readonly bookmarks: boolean
  /** When the client's watch will end, by the steady clock: a bookmark comes shortly before. */
  readonly deadline?: number
}

/** A watch that is open. */
export interface Watcher {
  /**
   * Gives every batch to `take`, in order, in the turn of the event loop in which it comes where the one before has been taken. A deleted event's object is the last state, with the revision of
   * its deletion. Called once. Resolves when the watch has ended, and rejects with what ended it, or with what `take` throws.
   *
   * `joined`: batches that wait are joined while together they have fewer events, for a taker to whom each call is dear. `begun`: called once, when what the watch begins with has been taken.
   */
  deliver(take: Take, joined?: number, begun?: () => void): Promise<void>
  /** `slow`: its client has not kept up, which is counted. */
  close(slow?: boolean): void
}

/** Takes a batch. `own`: no other watcher gets this array. The promise: not ready for the next one until it resolves. False: no more, which closes the watch. */
export type Take = (batch: readonly StorageEvent[], own?: boolean) => boolean | Promise<boolean>

export type Change =
  | { readonly put: KubeObject; readonly ttlSeconds?: number }
  | { readonly delete: true }
  /** Nothing is to be done: the outcome is `unchanged`. */
  | { readonly keep: true }

/** What is to become of a key, and what the writer gets back once that has happened. */
export interface Decision<T> {
  readonly change: Change
  readonly result: T
}

/** Decides from the present object; undefined where there is none. */
export type Decide<T> = (now: StoredObject | undefined) => Promise<Decision<T>>

export interface Written<T> {
  /** Of a deletion: the last state, with the revision of the deletion. */
  readonly object: StoredObject
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'deleted'
  /** Of the decision that was carried out. */
  readonly result: T
}

/** `future revision`: an exact read of the store itself came before its revision. `initializing`: the cache has no state yet, and the read is not one for the store. `not transformed`: what is to be written cannot be encrypted. */
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

export interface StorageErrorOptions {
  readonly key?: Key
  readonly revision?: Revision
  readonly cause?: unknown
  readonly fault?: ReadFault
  readonly causes?: readonly StatusCause[]
  readonly unreasoned?: boolean
  readonly retryAfterSeconds?: number
}

/** The failures of this layer; the registry turns them into Status. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  readonly key: Key | undefined
  /** For `too large revision`: the newest one known. For `expired`: the oldest one. */
  readonly revision: Revision | undefined
  /** For `corrupt`, where it is an object that can't be read: why. */
  readonly fault: ReadFault | undefined
  /** For `corrupt`: the Status says that reading the store failed, with these causes. */
  readonly causes: readonly StatusCause[] | undefined
  /** For `corrupt`: the Status has the message and no reason. */
  readonly unreasoned: boolean
  /** For `initializing`: when to come again. */
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

/** The objects of one resource. */
export interface Storage {
  /** Reads go through the watch cache. Clients see the difference: it waits for a version that has not come, where the store itself refuses at once, and some texts are others. */
  readonly cached: boolean
  get(key: Key, at: ReadAt, signal: AbortSignal): Promise<StoredObject | undefined>
  /** The present object as the watch cache has it, without waiting. Undefined where it has none, and without a cache that can say. */
  cachedObject(key: Key): StoredObject | undefined
  /** The same of all objects below a prefix. Undefined also where they are many: `list` reads those in turns. */
  cachedObjects(prefix: Key): readonly StoredObject[] | undefined
  /** `prefix` ends with a slash: the resource's, or a namespace of it. Without a cache it may be one key, which has none. Ordered by key. */
  list(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page>
  /** Resolves once the start is certain; throws StorageError `expired` where it is gone. The watch fails with `expired` where history is lost, and ends where the watcher is too slow. */
  watch(prefix: Key, query: WatchQuery, signal: AbortSignal): Promise<Watcher>
  /**
   * Compare and swap on the mod revision. `decide` may run more than once; what it throws is the result, unless it was given an assumed object that turns out
   * to be stale: then it runs again on the newer one. Storage encodes: a put is `unchanged` only if the encoded bytes equal the stored ones and the transformer does not
   * call those stale.
   * `assume` skips the first read.
   */
  write<T>(key: Key, decide: Decide<T>, signal: AbortSignal, assume?: StoredObject | 'absent'): Promise<Written<T>>
  /** Deletes what can't be read, unread, and nothing else. Upstream checks no precondition and no finalizer here, as there is nothing to see them in. */
  removeCorrupt(key: Key, signal: AbortSignal): Promise<'removed' | 'readable' | 'absent'>
  currentRevision(signal: AbortSignal): Promise<Revision>
  /** Objects of the resource, for metrics; undefined where not known without a read. */
  count(): number | undefined
}
