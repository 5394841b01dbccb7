import type { DirectStorage } from '../direct/direct-storage.ts'
import { abortedError, toStorageError } from '../errors.ts'
import { keyAfter } from '../key-range.ts'
import { type Key, key, NO_REVISION, type Revision } from '../revision.ts'
import type { Decide, ListQuery, Page, Predicate, ReadAt, Storage, StoredObject, Watcher, WatchQuery, Written } from '../storage.ts'
import { StorageError } from '../storage.ts'
import type { Stored } from '../stored-object.ts'
import { watchCache } from './cached-watch.ts'
import type { CacherCore } from './cacher-types.ts'
import { LatestWrites } from './latest-writes.ts'
import { awaitSignal } from './load-waiters.ts'
import { fewBelow, type ObjectTree, pickFrom, scanTree } from './object-tree.ts'
import type { ResourceCache } from './resource-cache.ts'

/**
 * Storage of one resource behind the watch cache. Writes go to the store, and so do reads that the cache cannot serve.
 */
export class CachedStorage implements Storage {
  readonly cached = true
  readonly #core: CacherCore
  readonly #cache: ResourceCache
  readonly #direct: DirectStorage
  readonly #latest = new LatestWrites()

  constructor(core: CacherCore, cache: ResourceCache, direct: DirectStorage) {
    this.#core = core
    this.#cache = cache
    this.#direct = direct
  }

  async get(key: Key, at: ReadAt, signal: AbortSignal): Promise<StoredObject | undefined> {
    if (this.#fromStore(at) || this.#isStarting()) return this.#direct.get(key, at, signal)
    if (typeof at === 'object' && 'exactly' in at) {
      const tree = (await this.#reachExactly(at.exactly, signal)) ? this.#treeAt(at.exactly) : undefined
      return tree ? tree.get(key) : this.#direct.get(key, at, signal)
    }
    const isThere = (at === 'any' && this.#cache.loaded) || (await this.reach(at, signal))
    if (!isThere || this.#cache.corrupt.has(key)) return this.#direct.get(key, at, signal)
    return this.#cache.tree.get(key)
  }

  cachedObject(key: Key): StoredObject | undefined {
    return this.#isAtHand(key) ? this.#cache.tree.get(key) : undefined
  }

  cachedObjects(prefix: Key): readonly StoredObject[] | undefined {
    return this.#isAtHand(prefix) ? fewBelow(this.#cache.tree, prefix) : undefined
  }

  /** Whether the cache is loaded and can read everything stored at the key, or below the prefix. */
  #isAtHand(key: Key): boolean {
    return this.#cache.loaded && !this.#cache.hasCorrupt(key)
  }

  /**
   * Serves a list from the cache if it has, or can be brought to, the revision that the query demands, and from the
   * store otherwise: exact revisions outside of the history, ranges with an object that cannot be read, and first pages
   * while the cache loads.
   */
  async list(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page> {
    const { at } = query
    if (this.#continuesAhead(query)) return this.#pageAhead(prefix, query, signal)
    if (this.#fromStore(at)) return this.#listDirect(prefix, query, signal)
    if (this.#isStarting() && query.limit > 0 && query.predicate.everything) return this.#listDirect(prefix, query, signal)
    if (typeof at === 'object' && 'exactly' in at) {
      // As in upstream, the past state of a single object is always read from the store.
      if (this.#narrow(prefix, query).one && query.startKey === undefined) return this.#listDirect(prefix, query, signal)
      const tree = (await this.#reachExactly(at.exactly, signal)) ? this.#treeAt(at.exactly) : undefined
      return tree ? this.#page(tree, tree === this.#cache.tree, at.exactly, prefix, query) : this.#listDirect(prefix, query, signal)
    }
    if (!(await this.reach(at, signal)))
      return at === 'latest' ? this.#listInstead(prefix, query, signal) : this.#listDirect(prefix, query, signal)
    if (at === 'latest') this.#cache.counts.consistent.cache++
    if (this.#cache.hasCorrupt(this.#narrow(prefix, query).prefix)) return this.#listDirect(prefix, query, signal)
    const { history } = this.#cache
    // The next pages are served from the state of the first.
    const tree = query.limit > 0 && !query.wholeFromCache && this.#core.exactReads ? this.#cache.tree.clone() : this.#cache.tree
    const { now } = this.#core.time
    const page = await this.#page(tree, true, now, prefix, query)
    if (page.nextKey !== undefined && this.#core.exactReads) history.remember(now, tree, this.#core.clock.now())
    return page
  }

  /**
   * Whether a read bypasses the cache: its consistency is configured to, or the read may not probe the store and the
   * cache does not have the revision yet.
   */
  #fromStore(at: ReadAt): boolean {
    const { consistentReads, exactReads, time } = this.#core
    if (at === 'latest') return !consistentReads
    if (typeof at === 'string' || !('exactly' in at)) return false
    return !exactReads || (!consistentReads && at.exactly > time.now)
  }

  /**
   * Serves a page at a revision that the cache has not reached. If the store has reached it, the store serves the page.
   * Otherwise the response is the present state at that revision, or the store's refusal.
   */
  async #pageAhead(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page> {
    const { servesFuturePages, exactReads, consistentReads, time } = this.#core
    const { at } = query
    const isPresent =
      servesFuturePages &&
      exactReads &&
      consistentReads &&
      typeof at === 'object' &&
      'exactly' in at &&
      at.exactly > (await this.#core.probe(signal))
    if (!isPresent || !(await this.reach('latest', signal))) return this.#listDirect(prefix, query, signal)
    return { ...(await this.#page(this.#cache.tree, true, time.now, prefix, query)), revision: at.exactly }
  }

  /**
   * Reports whether the query is for a later page at a revision that the cache has not reached. The store determines
   * immediately whether the revision exists.
   */
  #continuesAhead({ at, startKey }: ListQuery): boolean {
    return startKey !== undefined && typeof at === 'object' && 'exactly' in at && at.exactly > this.#core.time.now
  }

  /** Serves a consistent list from the store, because the cache does not keep up. */
  async #listInstead(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page> {
    const { consistent } = this.#cache.counts
    try {
      const page = await this.#listDirect(prefix, query, signal)
      consistent.store++
      return page
    } catch (error) {
      consistent.failed++
      throw error
    }
  }

  /** Whether the cache has no state yet, so that cheap reads are served by the store. https://kep.k8s.io/4568 */
  #isStarting(): boolean {
    return !this.#cache.loaded && !this.#cache.removed && this.#core.resilientStart
  }

  /**
   * Lists from the store. If only one object can match, only its key is read: unreadable objects elsewhere cannot fail
   * the list.
   */
  #listDirect(prefix: Key, query: ListQuery, signal: AbortSignal): Promise<Page> {
    const below = this.#narrow(prefix, query)
    return this.#direct.list(below.one ? below.prefix : prefix, query, signal)
  }

  /** Serves a page from a tree. `present`: the tree is the present state, to which the indexes apply. */
  async #page(tree: ObjectTree, present: boolean, revision: Revision, prefix: Key, query: ListQuery): Promise<Page> {
    const { predicate, wholeFromCache } = query
    const limit = wholeFromCache ? 0 : query.limit
    const below = this.#narrow(prefix, query)
    if (below.one) {
      const object = tree.get(below.prefix)
      const wanted = object !== undefined && predicate.matches(object.attributes()) && !(query.startKey && object.key < query.startKey)
      this.#counted(object === undefined ? 0 : 1, wanted ? 1 : 0)
      return { items: wanted ? [object] : [], revision, nextKey: undefined, remaining: undefined }
    }
    const start = query.startKey !== undefined && query.startKey > below.prefix ? query.startKey : below.prefix
    const found = present ? this.#found(predicate, below.prefix) : undefined
    if (found !== undefined) {
      const { items, looked, last } = pickFrom(found.objects, tree, { prefix: below.prefix, start }, predicate, limit)
      this.#counted(looked, items.length, found.by)
      return { items, revision, nextKey: last && keyAfter(last), remaining: undefined }
    }
    const { pages, resource } = this.#cache
    const count = start === resource.prefix ? tree.size : pages.from(revision, below.prefix, start)
    const { items, looked, last, remaining } = await scanTree(tree, { prefix: below.prefix, start }, predicate, limit, count)
    this.#counted(looked, items.length)
    if (present && predicate.labels !== undefined && limit === 0)
      this.#cache.labels.scanned(predicate.labels, looked, items.length, this.#cache.tree)
    const nextKey = last && keyAfter(last)
    if (nextKey !== undefined && remaining !== undefined) {
      pages.remember(revision, below.prefix, nextKey, remaining)
      // The count is cached for first pages of a namespace, too: many lists may begin at one revision.
      if (count === undefined) pages.remember(revision, below.prefix, start, items.length + remaining)
    }
    return { items, revision, nextKey, remaining }
  }

  /** Returns a superset of the matching present objects from an index; undefined if no index applies. */
  #found(predicate: Predicate, below: Key): { readonly objects: readonly Stored[]; readonly by: 'byField' | 'byLabel' } | undefined {
    const { index, labels, tree } = this.#cache
    const value = this.#indexed(predicate)
    if (value !== undefined) return { objects: index.below([value], below), by: 'byField' }
    const objects = predicate.labels && labels.find(predicate.labels, tree.size, below)
    return objects && { objects, by: 'byLabel' }
  }

  /** Value that a predicate requires of the indexed field; undefined if it requires none. */
  #indexed(predicate: Predicate): string | undefined {
    const { index } = this.#cache.resource
    return (index !== undefined && predicate.requires?.(index)) || undefined
  }

  #counted(looked: number, given: number, by: 'scans' | 'byField' | 'byLabel' = 'scans'): void {
    const { counts } = this.#cache
    counts[by].lists++
    counts[by].fetched += looked
    counts.returned += given
  }

  /** Narrows a prefix by the predicate's hints: to a namespace, or to one key. */
  #narrow(prefix: Key, { predicate }: Pick<ListQuery, 'predicate'>): { prefix: Key; one: boolean } {
    const { resource } = this.#cache
    const { namespace, name } = predicate
    let below = prefix
    if (resource.namespaced && below === resource.prefix) {
      if (namespace === undefined || namespace === '') return { prefix, one: false }
      below = key(`${below}${namespace}/`)
    }
    return name === undefined || name === '' ? { prefix: below, one: false } : { prefix: key(below + name), one: true }
  }

  /**
   * Opens a watch on the cache. A start before its history, or a range with an object that cannot be read, is watched
   * in the store. Between the state that a watch begins with and its registration there is no `await`, so no change is
   * missed or repeated.
   */
  async watch(prefix: Key, query: WatchQuery, signal: AbortSignal): Promise<Watcher> {
    const { start, predicate } = query
    if ('initial' in start) {
      const { initial } = start
      const at = typeof initial === 'object' && 'exactly' in initial ? { notOlderThan: initial.exactly } : initial
      if (!(await this.reach(at, signal)) || this.#cache.hasCorrupt(prefix)) return this.#direct.watch(prefix, query, signal)
    } else {
      await this.#core.loaded(this.#cache, signal)
      await this.#refuseUndone(start.after, signal)
      if (this.#cache.removed || start.after < this.#cache.history.since) return this.#direct.watch(prefix, query, signal)
    }
    if (signal.aborted) throw abortedError(signal)
    const below = this.#narrow(prefix, query)
    const name = predicate.name !== undefined && predicate.name !== '' && !below.one ? predicate.name : undefined
    const indexed = below.one || name !== undefined ? undefined : this.#indexed(predicate)
    const scope = { below: below.prefix, ...(name !== undefined && { name }), ...(indexed !== undefined && { indexed }) }
    return watchCache(this.#core, this.#cache, query, scope, signal)
  }

  /**
   * Throws StorageError `expired` if the store was restored from an older copy and a watch from this revision would
   * miss changes. A revision that the copy has not reached belongs to the lost history. One that both histories have is
   * ambiguous: it is accepted until the copy has passed the lost revisions, because lists from the copy return such
   * revisions, too.
   */
  async #refuseUndone(after: Revision, signal: AbortSignal): Promise<void> {
    const { time } = this.#core
    if (time.undone === NO_REVISION) return
    const isUndone = after > time.now ? after > (await this.#core.probe(signal)) : after <= time.undone && time.undone < time.now
    if (isUndone)
      throw new StorageError('expired', `revision ${after} is of a history that was undone by a restore`, { revision: time.now })
  }

  async write<T>(key: Key, decide: Decide<T>, signal: AbortSignal, assume?: StoredObject | 'absent'): Promise<Written<T>> {
    const behind = this.#cache.interest.untilFewPending(key)
    if (behind !== undefined) await this.#pace(key, behind, signal)
    const { time } = this.#core
    const written = await this.#direct.write(key, decide, signal, assume ?? this.#latest.of(key, time.now) ?? this.#asCached(key))
    this.#latest.note(key, written, time.now)
    return this.#shared(key, written)
  }

  /**
   * Replaces a written object by the cache's own, if the cache has it by now: watchers then need not parse it again.
   */
  #shared<T>(key: Key, written: Written<T>): Written<T> {
    const cached = this.#cache.tree.get(key)
    return cached?.revision === written.object.revision ? { ...written, object: cached } : written
  }

  /**
   * Waits while too many changes are pending for watchers of the key. Otherwise the backlog would grow until those
   * watches are ended, and they would receive every change late.
   */
  async #pace(key: Key, behind: Promise<void>, signal: AbortSignal): Promise<void> {
    const { interest, counts } = this.#cache
    counts.pacedWrites++
    for (let wait: Promise<void> | undefined = behind; wait !== undefined; wait = interest.untilFewPending(key))
      await awaitSignal(wait, signal)
  }

  #asCached(key: Key): StoredObject | 'absent' | undefined {
    return this.#cache.loaded && !this.#cache.corrupt.has(key) ? (this.#cache.tree.get(key) ?? 'absent') : undefined
  }

  removeCorrupt(key: Key, signal: AbortSignal, dryRun?: boolean): Promise<'removed' | 'readable' | 'absent'> {
    return this.#direct.removeCorrupt(key, signal, dryRun)
  }

  async currentRevision(signal: AbortSignal): Promise<Revision> {
    return this.#core.probe(signal)
  }

  count(): number | undefined {
    return this.#cache.loaded ? this.#cache.tree.size : undefined
  }

  /**
   * Waits until the cache has the revision. Resolves to false if the store has to be read instead: the cache does not
   * keep up with it, or has been removed.
   */
  async reach(at: Exclude<ReadAt, { exactly: Revision }>, signal: AbortSignal): Promise<boolean> {
    const core = this.#core
    if (!this.#cache.loaded) await core.loaded(this.#cache, signal)
    if (this.#cache.removed) return false
    if (at === 'any') return true
    if (at !== 'latest') {
      if (!core.comesTo(at.notOlderThan)) return false
      try {
        await this.#comes(at.notOlderThan, signal)
        return true
      } catch (error) {
        // Meanwhile the reflector may have learned that it cannot wait for revisions.
        if (core.comesTo(at.notOlderThan)) throw error
        return false
      }
    }
    const reached = core.time.now
    const newest = await core.probe(signal)
    // The store was restored from an older copy, and later changes in the cache are lost.
    if (newest < reached) {
      core.suspect()
      return false
    }
    if (!core.comesTo(newest)) return false
    const wait = this.#comes(newest, signal)
    if (wait === undefined) return true
    try {
      await wait
      return true
    } catch (error) {
      if (!(error instanceof StorageError && error.code === 'too large revision')) throw error
      core.suspect()
      return false
    }
  }

  /** Waits until the cache has reached the revision. Undefined if it has reached it already. */
  #comes(revision: Revision, signal: AbortSignal): Promise<void> | undefined {
    const { readWait } = this.#cache.counts
    const wait = this.#core.time.reach(revision, signal, this.#core.revisionWaitMs)
    if (wait === undefined) {
      readWait.observe(0)
      return undefined
    }
    const begun = performance.now()
    const over = () => readWait.observe((performance.now() - begun) / 1000)
    wait.then(over, over)
    return wait
  }

  /** Waits until the cache has reached a revision. Resolves to false if the store has to be read instead. */
  async #reachExactly(revision: Revision, signal: AbortSignal): Promise<boolean> {
    const core = this.#core
    await core.loaded(this.#cache, signal)
    if (!core.comesTo(revision)) return false
    try {
      await this.#comes(revision, signal)
    } catch (error) {
      throw toStorageError(error)
    }
    return true
  }

  /**
   * Returns the state at a revision that has been reached; undefined if the store has to be read. It may be the present
   * tree, so read it before the next await.
   */
  #treeAt(revision: Revision): ObjectTree | undefined {
    if (this.#cache.removed || this.#cache.corrupt.size > 0) return undefined
    return this.#cache.history.treeAt(revision, this.#cache.tree, this.#core.clock.now())
  }
}
