import type { EventQueue } from '../event-queue.ts'
import type { RecordedChange } from '../recorded-change.ts'
import type { Key, Revision } from '../revision.ts'
import type { Predicate } from '../storage.ts'
import { PendingChanges } from './pending-changes.ts'

/** A watch of the cache. */
export interface CacheWatcher {
  readonly queue: EventQueue
  readonly predicate: Predicate
  /** Changes up to this revision have been given, or are not wanted. */
  seen: Revision
  /** By the cacher's clock; Infinity: no bookmarks. */
  nextBookmark: number
  /** When the last one is due: shortly before the watch ends. Infinity where its end is not known. */
  readonly lastBookmark: number
}

/** Changes that may wait to be given to a group of watchers. Where more come than can be given, its watches end as those of slow clients do. */
export const longestPending = 16_384

/** The watchers that may want the same changes. */
export interface InterestGroup {
  readonly watchers: Set<CacheWatcher>
  readonly pending: PendingChanges
  /** It has its place among the groups that are to be served, is being served, or rests and has changes. */
  scheduled: boolean
  /** By `performance.now()`: changes that come before then wait. */
  restUntil: number
  /** Set while there are changes that wait for it. */
  rest: NodeJS.Timeout | undefined
}

/** Gives a group the changes that are pending for it. */
interface Schedule {
  /** Changes are under way to watchers. */
  readonly busy: boolean
  schedule(group: InterestGroup): void
}

/** What a watcher asked for, as narrow as is known without its predicate. */
export interface Scope {
  /** A key, or a prefix with a slash at its end: of the resource, or of a namespace. */
  readonly below: Key
  /** Objects of this name in every namespace. */
  readonly name?: string
  /** Objects with this value in the field that the resource is indexed by. */
  readonly indexed?: string
}

/** Watchers of one resource by what they asked for, so that a change costs only those whom it may concern. */
export class Interest {
  readonly #prefix: Key
  readonly #fanOut: Schedule
  readonly #below = new Map<string, InterestGroup>()
  readonly #named = new Map<string, InterestGroup>()
  /** By prefix and value. */
  readonly #indexed = new Map<string, InterestGroup>()
  readonly #watchers = new Map<CacheWatcher, () => void>()

  constructor(prefix: Key, fanOut: Schedule) {
    this.#prefix = prefix
    this.#fanOut = fanOut
  }

  get size(): number {
    return this.#watchers.size
  }

  /** Watchers in the largest group of those that want all changes of the resource, a namespace or a key. */
  get widest(): number {
    let widest = 0
    for (const { watchers } of this.#below.values()) widest = Math.max(widest, watchers.size)
    return widest
  }

  add(watcher: CacheWatcher, scope: Scope): void {
    const { groups, id } = this.#place(scope)
    let group = groups.get(id)
    if (group === undefined) {
      group = { watchers: new Set(), pending: new PendingChanges(), scheduled: false, restUntil: 0, rest: undefined }
      groups.set(id, group)
    }
    group.watchers.add(watcher)
    this.#watchers.set(watcher, () => {
      group.watchers.delete(watcher)
      if (group.watchers.size === 0 && groups.get(id) === group) groups.delete(id)
    })
  }

  #place({ below, name, indexed }: Scope): { groups: Map<string, InterestGroup>; id: string } {
    if (name !== undefined) return { groups: this.#named, id: name }
    return indexed === undefined ? { groups: this.#below, id: below } : { groups: this.#indexed, id: below + indexed }
  }

  remove(watcher: CacheWatcher): void {
    this.#watchers.get(watcher)?.()
    this.#watchers.delete(watcher)
  }

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

  #notify(group: InterestGroup | undefined, change: RecordedChange): void {
    if (group === undefined) return
    if (group.pending.length >= longestPending) {
      for (const watcher of [...group.watchers]) watcher.queue.close(true)
      return
    }
    group.pending.push(change)
    this.#fanOut.schedule(group)
  }

  /**
   * For who would write the object: resolves once few changes wait for those whom it concerns; undefined: few do. Watchers by the indexed field are not waited for, as its value is not known yet: they are
   * those of one value.
   */
  untilFewPending(key: Key): Promise<void> | undefined {
    if (this.#watchers.size === 0) return undefined
    const slash = key.lastIndexOf('/') + 1
    const groups = [this.#below.get(this.#prefix), this.#below.get(key.slice(0, slash)), this.#below.get(key), this.#named.get(key.slice(slash))]
    for (const group of groups) {
      const wait = group?.pending.untilFew()
      if (wait !== undefined) return wait
    }
    return undefined
  }

  /** Gives bookmarks to those whose time has come. `reached`: the revision up to which everything has been published. */
  bookmark(now: number, reached: Revision, everyMs: number): void {
    const { busy } = this.#fanOut
    for (const watcher of this.#watchers.keys()) {
      if (now < watcher.nextBookmark) continue
      // In the middle of a round it is not known who has had its share: then only what the watcher was given counts.
      if (!busy && reached > watcher.seen) watcher.seen = reached
      watcher.queue.push([{ type: 'bookmark', revision: watcher.seen, initialEnd: false }])
      watcher.nextBookmark = now < watcher.lastBookmark ? Math.min(now + everyMs, watcher.lastBookmark) : Number.POSITIVE_INFINITY
    }
  }

  /** Ends every watch; with an error, by throwing it. */
  end(error?: unknown): void {
    for (const watcher of [...this.#watchers.keys()]) watcher.queue.finish(error)
  }
}
