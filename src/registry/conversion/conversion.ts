import type { KubeObject } from '../../api/meta/object.ts'
import type { OwnedWrite } from '../../apply/ownership.ts'
import type { ServedResource } from '../../catalog/catalog.ts'
import type { Version } from '../../catalog/definition.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Key } from '../../storage/revision.ts'
import type { StoredObject, Watcher } from '../../storage/storage.ts'
import type { CacheFill } from '../cache-fill.ts'
import type { ListOptions, ListResult } from '../read.ts'
import type { RequestResult, WriteTarget } from '../types.ts'

/**
 * Converts the objects of a definition between the version of a request, the version of hooks and the storage version.
 * Arguments are never changed, and results are shared. Its functions throw, or reject with, a ConversionError.
 */
export interface Conversion {
  /** The version in which hooks and admission see the objects of a request for `version`. */
  hookVersion(version: Version): Version
  /** A stored object in a version; shared. */
  objectIn(version: Version, stored: StoredObject): Awaitable<KubeObject>
  /**
   * A stored object in a version, from the watch cache: a webhook is called only once for each revision of the object.
   */
  cachedObjectIn(version: Version, stored: StoredObject): Awaitable<KubeObject>
  /** Converts an object from the version of hooks to the version of the request. */
  fromHooks(object: KubeObject, version: Version): Awaitable<KubeObject>
  /** Converts an object from the version of hooks to one that the codec accepts. */
  toStored(object: KubeObject): Awaitable<KubeObject>
  /** The result of a create or an update in the version of the request. */
  answer(target: WriteTarget, answer: RequestResult): Awaitable<RequestResult>
  /**
   * The result of a deletion in the version of hooks. `object` is the state before the write, `stored` the state that
   * was written or removed.
   */
  deletionAnswer(version: Version, object: KubeObject, deleted: boolean, stored: StoredObject): Awaitable<KubeObject>
  /** The view of stored objects that reads use. */
  view(version: Version): ConversionView
  /**
   * Runs an update of managed fields, whose entries may name other versions than the request's. `run` may be called
   * several times and must have no effects until it succeeds.
   */
  withManagers<T>(served: ServedResource, run: (convert: OwnedWrite['convert']) => Steps<T>): Awaitable<T>
  /**
   * Converts objects from the version of hooks for webhooks and policies that match another version. Undefined if no
   * webhook converts the kind: objects are then converted when they are encoded.
   */
  seenIn(version: Version, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> | undefined
  readonly codec: CodecConversion
}

/** Reads of stored objects in one version. */
export interface ConversionView {
  /** Omitted if no webhook converts. Lists and watches from the watch cache wait for it. */
  readonly fill?: CacheFill
  object(stored: StoredObject): Awaitable<StoredObject>
  /** The object from the watch cache: converted once for each revision. */
  cachedObject(stored: StoredObject): Awaitable<StoredObject>
  /** Lists objects in the version. `read` lists the stored objects below the prefix. */
  list(read: (options: ListOptions) => Promise<ListResult>, prefix: Key, options: ListOptions): Promise<ListResult>
  /** Watches objects in the version. `open` watches the stored objects. */
  watch(open: (options: ListOptions) => Promise<Watcher>, options: ListOptions): Promise<Watcher>
}

/** The conversions that a resource's codec runs. */
export interface CodecConversion {
  /** Whether an object is written in its own version, which is not the storage version. */
  isKept(object: KubeObject): boolean
  /**
   * Converts a decoded and defaulted object from the version in which it was stored to that of `StoredObject`. Takes
   * ownership of the object.
   */
  fromStore(object: KubeObject, from: Version): KubeObject
  /** Converts an object to the version whose fields selectors match. */
  toSelect(object: KubeObject): KubeObject
}
