import type { Key, Revision } from './revision.ts'
import type { Predicate, StorageEvent } from './storage.ts'
import type { Stored } from './stored-object.ts'

/** One change of one object. Its events are made once and shared by all watchers, and so are the encodings of their objects. */
export class RecordedChange {
  readonly key: Key
  readonly revision: Revision
  /** The new state; undefined: deleted. */
  readonly object: Stored | undefined
  /** The state before; undefined: created. */
  readonly previous: Stored | undefined
  #event: StorageEvent | undefined
  #entered: StorageEvent | undefined
  #left: StorageEvent | undefined

  constructor(key: Key, revision: Revision, object: Stored | undefined, previous: Stored | undefined) {
    this.key = key
    this.revision = revision
    this.object = object
    this.previous = previous
  }

  /** What a watcher without a predicate sees; undefined where nothing was deleted. */
  get event(): StorageEvent | undefined {
    const { object, previous, revision } = this
    if (object === undefined) return this.#leave()
    this.#event ??= previous === undefined ? { type: 'added', object, revision } : { type: 'modified', object, revision, previous }
    return this.#event
  }

  /** What a watcher sees: an object that starts to match is added, one that ceases to is deleted, with its content before and this revision. */
  eventFor(predicate: Predicate): StorageEvent | undefined {
    if (predicate.everything) return this.event
    const { object, previous, revision } = this
    const before = previous !== undefined && predicate.matches(previous.attributes())
    const now = object !== undefined && predicate.matches(object.attributes())
    if (before && !now) return this.#leave()
    if (!now) return undefined
    if (before || previous === undefined) return this.event
    this.#entered ??= { type: 'added', object, revision }
    return this.#entered
  }

  #leave(): StorageEvent | undefined {
    if (this.previous === undefined) return undefined
    this.#left ??= { type: 'deleted', object: this.previous.at(this.revision), revision: this.revision }
    return this.#left
  }
}
