import { initialEvents } from '../direct/watch.ts'
import { EventQueue } from '../event-queue.ts'
import { prefixEnd } from '../key-range.ts'
import type { RecordedChange } from '../recorded-change.ts'
import { type Key, later } from '../revision.ts'
import type { Predicate, StorageEvent, StoredObject, Watcher, WatchQuery } from '../storage.ts'
import type { CacherCore } from './cacher-types.ts'
import type { CacheWatcher, Scope } from './interest.ts'
import type { ObjectTree } from './object-tree.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { ResourceCounts } from './resource-counts.ts'

/** Bookmarks come at least this long before a watcher's deadline. */
const beforeDeadlineMs = 2000
/** Past changes looked at in one turn of the event loop, and present objects: a predicate may have to parse them. */
const changesPerTurn = 200
const objectsPerTurn = 200

/** A watch of the cache. What it begins with and what it follows are settled in one step, so nothing is missed or doubled. */
export function watchCache(core: CacherCore, cache: ResourceCache, query: WatchQuery, scope: Scope, signal: AbortSignal): Watcher {
  const { start, predicate } = query
  const reached = core.time.now
  const now = core.clock.now()
  const onAbort = () => queue.close()
  const beginning =
    'after' in start
      ? pastEvents(cache.history.after(start.after) ?? [], scope, predicate)
      : initialEvents(matching(cache, scope, predicate), start.bookmarkAtEnd, reached)
  const queue = new EventQueue(
    core.queueLimit,
    slow => {
      if (slow) cache.counts.slowWatchers++
      cache.interest.remove(watcher)
      signal.removeEventListener('abort', onAbort)
    },
    counted(beginning, cache.counts),
    core.queueBytes,
  )
  const lastBookmark = query.deadline === undefined ? Number.POSITIVE_INFINITY : query.deadline - beforeDeadlineMs
  const watcher: CacheWatcher = {
    queue,
    predicate,
    seen: 'after' in start ? later(start.after, reached) : reached,
    // As upstream: who leaves so soon gets none.
    nextBookmark: query.bookmarks && lastBookmark >= now ? Math.min(now + core.bookmarkMs, lastBookmark) : Number.POSITIVE_INFINITY,
    lastBookmark,
  }
  cache.interest.add(watcher, scope)
  signal.addEventListener('abort', onAbort, { once: true })
  return queue
}

/** The batches as they are, counted for the metric of initial events. A bookmark is none. */
function* counted(batches: Iterable<readonly StorageEvent[]>, counts: ResourceCounts): Generator<readonly StorageEvent[], void, undefined> {
  for (const batch of batches) {
    counts.initEvents += batch.at(-1)?.type === 'bookmark' ? batch.length - 1 : batch.length
    yield batch
  }
}

/** Whether a change is of the keys, the name or the field's value that were asked for. */
function inScope({ key, object, previous }: RecordedChange, { below, name, indexed }: Scope): boolean {
  if (!below.endsWith('/')) return key === below
  if (!key.startsWith(below)) return false
  if (indexed !== undefined) return object?.indexed === indexed || previous?.indexed === indexed
  return name === undefined || key.endsWith(`/${name}`)
}

/** In batches of a turn: a watch that resumes far back must not hold the event loop. */
function* pastEvents(changes: readonly RecordedChange[], scope: Scope, predicate: Predicate): Generator<readonly StorageEvent[], void, undefined> {
  for (let i = 0; i < changes.length; i += changesPerTurn) {
    const events: StorageEvent[] = []
    for (const change of changes.slice(i, i + changesPerTurn)) {
      if (!inScope(change, scope)) continue
      const event = change.eventFor(predicate)
      if (event !== undefined) events.push(event)
    }
    yield events
  }
}

/** Present objects, as of now, with undefined among them as initialEvents has it. */
function matching({ tree, index }: ResourceCache, { below, indexed }: Scope, predicate: Predicate): Iterable<StoredObject | undefined> {
  if (below.endsWith('/') && indexed === undefined) return scanned(tree.clone(), below, predicate)
  const one = indexed === undefined ? tree.get(below) : undefined
  const objects = indexed === undefined ? (one ? [one] : []) : index.below([indexed], below)
  return objects.filter(object => predicate.matches(object.attributes()))
}

/** What matches below a prefix, and undefined now and then, where the caller may leave the turn. */
function* scanned(tree: ObjectTree, below: Key, predicate: Predicate): Generator<StoredObject | undefined, void, undefined> {
  const end = prefixEnd(below)
  let looked = 0
  for (const [key, object] of tree.entries(below)) {
    if (key >= end) return
    if (!predicate.everything && ++looked % objectsPerTurn === 0) yield undefined
    if (predicate.everything || predicate.matches(object.attributes())) yield object
  }
}
