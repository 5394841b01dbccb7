import type { Key, Revision } from './revision.ts'
import type { Predicate, StorageEvent } from './storage.ts'
import type { Stored } from './stored-object.ts'

/**
 * When a change arrived from the store, and when the cache had it, in milliseconds on the clock of `performance.now()`.
 */
export interface ChangeTimes {
  readonly arrived: number
  readonly cached: number
}

/**
 * One change of one object. Its events and the encodings of their objects are created once and shared by all watchers.
 */
export class RecordedChange {
  readonly key: Key
  readonly revision: Revision
  /** The new state; undefined after a deletion. */
  readonly object: Stored | undefined
  /** The state before; undefined for a creation. */
  readonly previous: Stored | undefined
  /** Undefined if the delivery to watchers is not measured. */
  readonly times: ChangeTimes | undefined
  #event: StorageEvent | undefined
  #entered: StorageEvent | undefined
  #left: StorageEvent | undefined

  constructor(key: Key, revision: Revision, object: Stored | undefined, previous: Stored | undefined, times?: ChangeTimes) {
    this.key = key
    this.revision = revision
    this.object = object
    this.previous = previous
    this.times = times
  }

  /** Event for a watcher without a predicate; undefined for a deletion without a previous state. */
  get event(): StorageEvent | undefined {
    const { object, previous, revision } = this
    if (object === undefined) return this.#leave()
    this.#event ??= previous === undefined ? { type: 'added', object, revision } : { type: 'modified', object, revision, previous }
    return this.#event
  }

  /**
   * Returns the event for a watcher with this predicate: an object that starts to match is `added`; one that stops
   * matching is `deleted`, with its previous content and this revision.
   */
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
