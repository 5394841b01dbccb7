import type { EventQueue } from '../event-queue.ts'
import type { RecordedChange } from '../recorded-change.ts'
import type { Key, Revision } from '../revision.ts'
import type { Predicate } from '../storage.ts'
import { DispatchTimes } from './dispatch-times.ts'
import { PendingChanges } from './pending-changes.ts'

/** A watch of the cache. */
export interface CacheWatcher {
  readonly queue: EventQueue
  readonly predicate: Predicate
  /** Changes up to this revision have been delivered, or are not wanted. */
  seen: Revision
  /** Time of the next bookmark on the cacher's clock. Infinity if the watch gets none. */
  nextBookmark: number
  /** Time of the last bookmark, shortly before the watch ends. Infinity if its end is unknown. */
  readonly lastBookmark: number
}

/**
 * Changes that may be pending for a group of watchers. Beyond it its watches are ended, as those of slow clients are.
 */
export const LONGEST_PENDING = 16_384

/** Watchers with the same scope. */
export interface InterestGroup {
  readonly watchers: Set<CacheWatcher>
  readonly pending: PendingChanges
  readonly times: DispatchTimes
  /** Whether the group is queued for a round, being served, or resting with pending changes. */
  scheduled: boolean
  /** End of the rest, on the clock of `performance.now()`. Changes that arrive earlier wait for it. */
  restUntil: number
  /** Timer of the rest. Set while changes wait for its end. */
  rest: NodeJS.Timeout | undefined
}

/** Schedules the delivery of a group's pending changes. */
interface Schedule {
  /** Whether changes are being delivered to watchers. */
  readonly busy: boolean
  schedule(group: InterestGroup): void
}

/** Scope of a watch, as narrow as can be determined without its predicate. */
export interface WatchScope {
  /** A key, or a prefix with a trailing slash: that of the resource or of a namespace. */
  readonly below: Key
  /** Optional. Selects objects of this name in every namespace. */
  readonly name?: string
  /** Optional. Selects objects with this value of the indexed field. */
  readonly indexed?: string
}

/** Watchers of one resource by scope, so that a change costs only as much as the watchers that may want it. */
export class Interest {
  readonly #prefix: Key
  readonly #fanOut: Schedule
  readonly #times: DispatchTimes
  readonly #below = new Map<string, InterestGroup>()
  readonly #named = new Map<string, InterestGroup>()
  /** Groups by prefix and value of the indexed field. */
  readonly #indexed = new Map<string, InterestGroup>()
  readonly #watchers = new Map<CacheWatcher, () => void>()

  constructor(prefix: Key, fanOut: Schedule, times = new DispatchTimes()) {
    this.#prefix = prefix
    this.#fanOut = fanOut
    this.#times = times
  }

  get size(): number {
    return this.#watchers.size
  }

  /** Number of watchers in the largest group that wants all changes of the resource, a namespace or a key. */
  get widest(): number {
    let widest = 0
    for (const { watchers } of this.#below.values()) widest = Math.max(widest, watchers.size)
    return widest
  }

  /** A watcher is in one group only. Groups without watchers are removed. */
  add(watcher: CacheWatcher, scope: WatchScope): void {
    const { groups, id } = this.#place(scope)
    let group = groups.get(id)
    if (group === undefined) {
      group = { watchers: new Set(), pending: new PendingChanges(), times: this.#times, scheduled: false, restUntil: 0, rest: undefined }
      groups.set(id, group)
    }
    group.watchers.add(watcher)
    this.#watchers.set(watcher, () => {
      group.watchers.delete(watcher)
      if (group.watchers.size === 0 && groups.get(id) === group) groups.delete(id)
    })
  }

  /**
   * Returns the map and the id of the group for a scope: the narrowest that contains every change that the watcher may
   * want.
   */
  #place({ below, name, indexed }: WatchScope): { groups: Map<string, InterestGroup>; id: string } {
    if (name !== undefined) return { groups: this.#named, id: name }
    return indexed === undefined ? { groups: this.#below, id: below } : { groups: this.#indexed, id: below + indexed }
  }

  remove(watcher: CacheWatcher): void {
    this.#watchers.get(watcher)?.()
    this.#watchers.delete(watcher)
  }

  /**
   * Hands a change to the groups that want it: those of the resource, of its namespace, of its key, of its name, and of
   * the indexed value before and after the change. Takes time by the number of these groups, not of watchers.
   */
  publish(change: RecordedChange): void {
    if (this.#watchers.size === 0) return
    const { key } = change
    this.#notify(this.#below.get(this.#prefix), change)
    const slash = key.lastIndexOf('/') + 1
    if (slash > this.#prefix.length) this.#notify(this.#below.get(key.slice(0, slash)), change)
    this.#notify(this.#below.get(key), change)
    if (this.#named.size > 0) this.#notify(this.#named.get(key.slice(slash)), change)
    if (this.#indexed.size > 0) {
      const before = change.previous?.indexed ?? ''
      const now = change.object?.indexed ?? ''
      this.#notifyIndexed(now, key.slice(0, slash), change)
      if (before !== now) this.#notifyIndexed(before, key.slice(0, slash), change)
    }
  }

  #notifyIndexed(value: string, namespace: string, change: RecordedChange): void {
    if (value === '') return
    this.#notify(this.#indexed.get(this.#prefix + value), change)
    if (namespace.length > this.#prefix.length) this.#notify(this.#indexed.get(namespace + value), change)
  }

  /**
   * Ends the watches of a group that has too many pending changes, as slow ones: the clients resume from the history.
   */
  #notify(group: InterestGroup | undefined, change: RecordedChange): void {
    if (group === undefined) return
    if (group.pending.length >= LONGEST_PENDING) {
      for (const watcher of [...group.watchers]) watcher.queue.close(true)
      return
    }
    group.pending.push(change)
    this.#fanOut.schedule(group)
  }

  /**
   * Resolves when few changes are pending for watchers of a key that is about to be written. Undefined if few are
   * pending now. Watchers by the indexed field are ignored: the new value is not known yet, and each of their groups
   * wants only one value.
   */
  untilFewPending(key: Key): Promise<void> | undefined {
    if (this.#watchers.size === 0) return undefined
    const slash = key.lastIndexOf('/') + 1
    const groups = [
      this.#below.get(this.#prefix),
      this.#below.get(key.slice(0, slash)),
      this.#below.get(key),
      this.#named.get(key.slice(slash)),
    ]
    for (const group of groups) {
      const wait = group?.pending.untilFew()
      if (wait !== undefined) return wait
    }
    return undefined
  }

  /** Sends bookmarks that are due. `reached` is the revision up to which all changes have been published. */
  bookmark(now: number, reached: Revision, everyMs: number): void {
    const { busy } = this.#fanOut
    for (const watcher of this.#watchers.keys()) {
      if (now < watcher.nextBookmark) continue
      // During a round, a watcher may not have its share yet: the bookmark then names only what it was given.
      if (!busy && reached > watcher.seen) watcher.seen = reached
      watcher.queue.push([{ type: 'bookmark', revision: watcher.seen, initialEnd: false }])
      watcher.nextBookmark = now < watcher.lastBookmark ? Math.min(now + everyMs, watcher.lastBookmark) : Number.POSITIVE_INFINITY
    }
  }

  /** Ends every watch, with the error if one is given. */
  end(error?: unknown): void {
    for (const watcher of [...this.#watchers.keys()]) watcher.queue.finish(error)
  }
}
