import type { Change } from '../apply/ownership.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import type { Steps } from '../lib/steps.ts'
import type { KubeObject } from '../meta/object.ts'
import type { Key } from '../storage/revision.ts'
import type { StoredObject, Watcher } from '../storage/storage.ts'
import type { CacheFill } from './cache-fill.ts'
import type { ListOptions, ListResult } from './read.ts'
import type { Answer, WriteTarget } from './types.ts'

/** A result that is at hand where this server converts, and has to be waited for where a webhook does. */
export type Converted<T> = T | Promise<T>

/** All results, waited for only where one has to be. */
export const allConverted = <T>(converting: readonly Converted<T>[]): Converted<readonly T[]> => {
  const isAtHand = (each: Converted<T>): each is T => !(each instanceof Promise)
  return converting.every(isAtHand) ? converting : Promise.all(converting)
}

/**
 * How the objects of a definition come from the version of a request into those of hooks and of the store, and back. `inProcessConversion` knows how the versions differ; `webhookConversion`
 * calls a webhook. Objects are shared and stay as they are. Throws a ConversionError.
 */
export interface Conversion {
  /** The version in which hooks and admission see the objects of a request that is of `version`. */
  hookVersion(version: Version): Version
  /** A stored object in a version; shared. */
  objectIn(version: Version, stored: StoredObject): Converted<KubeObject>
  /** The same as the watch cache shows it: a webhook that converts is called once for each revision of the object. */
  cachedObjectIn(version: Version, stored: StoredObject): Converted<KubeObject>
  /** An object as hooks see it in the version of the request. */
  fromHooks(object: KubeObject, version: Version): Converted<KubeObject>
  /** An object as hooks left it in a version that the codec of the store takes. */
  toStored(object: KubeObject): Converted<KubeObject>
  /** What a write is answered with, in the version of the request. */
  answer(target: WriteTarget, answer: Answer): Converted<Answer>
  /** What a deletion is answered with, in the version of hooks: `stored` is what it has written of `object`, or removed. */
  deletionAnswer(version: Version, object: KubeObject, deleted: boolean, stored: StoredObject): Converted<KubeObject>
  /** How reads show what is stored in a version. */
  view(version: Version): ConversionView
  /** Tracks managed fields, which may be recorded in other versions than that of the request. `run` may be run again: until it succeeds it must change nothing. */
  withManagers<T>(served: ServedResource, run: (convert: Change['convert']) => Steps<T>): Converted<T>
  /** Objects of hooks as those of another version are seen by who has asked for that one. Undefined: in any version, as they are converted when they are written. */
  seenIn(version: Version, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> | undefined
  readonly codec: CodecConversion
}

export interface ConversionView {
  /** Omitted if no webhook converts. Lists and watches of the watch cache depend on it. */
  readonly fill?: CacheFill
  object(stored: StoredObject): Converted<StoredObject>
  /** The object as the watch cache shows it. */
  cachedObject(stored: StoredObject): Converted<StoredObject>
  /** `read`: lists what is stored below the prefix. */
  list(read: (options: ListOptions) => Promise<ListResult>, prefix: Key, options: ListOptions): Promise<ListResult>
  /** `open`: watches what is stored. */
  watch(open: (options: ListOptions) => Promise<Watcher>, options: ListOptions): Promise<Watcher>
}

/** What the codec of the store needs. */
export interface CodecConversion {
  /** Whether an object stays in its version when it is written, although that is not the stored one. */
  isKept(object: KubeObject): boolean
  /** An object that was read and defaulted in the version in which it was stored, as `StoredObject` shows it. The caller hands it over. */
  fromStore(object: KubeObject, from: Version): KubeObject
  /** An object in the version whose fields selectors see. */
  toSelect(object: KubeObject): KubeObject
}
