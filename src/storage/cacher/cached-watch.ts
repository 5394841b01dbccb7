import { initialEvents } from '../direct/watch.ts'
import { EventQueue } from '../event-queue.ts'
import { prefixEnd } from '../key-range.ts'
import type { RecordedChange } from '../recorded-change.ts'
import { type Key, later } from '../revision.ts'
import type { Predicate, StorageEvent, StoredObject, Watcher, WatchQuery } from '../storage.ts'
import type { CacherCore } from './cacher-types.ts'
import type { CacheWatcher, WatchScope } from './interest.ts'
import { type ObjectTree, predicateWeight } from './object-tree.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { ResourceCounts } from './resource-counts.ts'

/** Time between the last bookmark and a watcher's deadline, at least. */
const BEFORE_DEADLINE_MS = 2000
/**
 * Past changes, and present objects, of ordinary size that are examined in one turn of the event loop. A predicate may
 * have to parse each.
 */
const CHANGES_PER_TURN = 200
const OBJECTS_PER_TURN = 200

/**
 * Opens a watch of the cache. Its initial events and its registration are determined in one synchronous step, so no
 * event is missed or sent twice.
 */
export function watchCache(core: CacherCore, cache: ResourceCache, query: WatchQuery, scope: WatchScope, signal: AbortSignal): Watcher {
  const { start } = query
  const { counts } = cache
  const predicate = shardCounted(query.predicate, counts)
  const isSharded = query.predicate.inShard !== undefined
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
      if (slow) counts.slowWatchers++
      if (isSharded) counts.shardedWatches--
      cache.interest.remove(watcher)
      signal.removeEventListener('abort', onAbort)
    },
    counted(beginning, counts),
    core.queueBytes,
  )
  const lastBookmark = query.deadline === undefined ? Number.POSITIVE_INFINITY : query.deadline - BEFORE_DEADLINE_MS
  const watcher: CacheWatcher = {
    queue,
    predicate,
    seen: 'after' in start ? later(start.after, reached) : reached,
    // As in upstream, a watch that ends this soon gets no bookmark.
    nextBookmark: query.bookmarks && lastBookmark >= now ? Math.min(now + core.bookmarkMs, lastBookmark) : Number.POSITIVE_INFINITY,
    lastBookmark,
  }
  if (isSharded) counts.shardedWatches++
  cache.interest.add(watcher, scope)
  signal.addEventListener('abort', onAbort, { once: true })
  return queue
}

/** Counts the objects that a predicate leaves out because they are in another shard. */
function shardCounted(predicate: Predicate, counts: ResourceCounts): Predicate {
  const { inShard } = predicate
  if (inShard === undefined) return predicate
  const matches: Predicate['matches'] = attributes => {
    if (inShard(attributes)) return predicate.matches(attributes)
    counts.otherShards++
    return false
  }
  return { ...predicate, matches }
}

/** Counts initial events for their metric, without the bookmark, and passes the batches on. */
function* counted(batches: Iterable<readonly StorageEvent[]>, counts: ResourceCounts): Generator<readonly StorageEvent[], void, undefined> {
  for (const batch of batches) {
    counts.initEvents += batch.at(-1)?.type === 'bookmark' ? batch.length - 1 : batch.length
    yield batch
  }
}

/** Whether a change is in the keys, or of the name or field value, that the watch selects. */
function inScope({ key, object, previous }: RecordedChange, { below, name, indexed }: WatchScope): boolean {
  if (!below.endsWith('/')) return key === below
  if (!key.startsWith(below)) return false
  if (indexed !== undefined) return object?.indexed === indexed || previous?.indexed === indexed
  return name === undefined || key.endsWith(`/${name}`)
}

/**
 * Returns events of past changes in batches of one turn each: a watch that resumes far back must not block the event
 * loop.
 */
function* pastEvents(
  changes: readonly RecordedChange[],
  scope: WatchScope,
  predicate: Predicate,
): Generator<readonly StorageEvent[], void, undefined> {
  let events: StorageEvent[] = []
  let weight = 0
  for (const change of changes) {
    if (inScope(change, scope)) {
      const event = change.eventFor(predicate)
      if (event !== undefined) events.push(event)
    }
    weight += predicate.everything ? 1 : weightOf(change)
    if (weight < CHANGES_PER_TURN) continue
    yield events
    events = []
    weight = 0
  }
  if (weight > 0) yield events
}

/** A predicate reads the object before and after the change. */
const weightOf = ({ object, previous }: RecordedChange): number =>
  Math.max(1, (object ? predicateWeight(object) : 0) + (previous ? predicateWeight(previous) : 0) - 1)

/** Returns the matching present objects. The undefined values among them are for `initialEvents`. */
function matching(
  { tree, index }: ResourceCache,
  { below, indexed }: WatchScope,
  predicate: Predicate,
): Iterable<StoredObject | undefined> {
  if (below.endsWith('/') && indexed === undefined) return scanned(tree.clone(), below, predicate)
  const one = indexed === undefined ? tree.get(below) : undefined
  const objects = indexed === undefined ? (one ? [one] : []) : index.below([indexed], below)
  return objects.filter(object => predicate.matches(object.attributes()))
}

/**
 * Yields the matching objects with a prefix. Also yields undefined at intervals, so that the caller can end its turn.
 */
function* scanned(tree: ObjectTree, below: Key, predicate: Predicate): Generator<StoredObject | undefined, void, undefined> {
  const end = prefixEnd(below)
  let weight = 0
  for (const [key, object] of tree.entries(below)) {
    if (key >= end) return
    if (!predicate.everything) {
      weight += predicateWeight(object)
      if (weight >= OBJECTS_PER_TURN) {
        weight = 0
        yield undefined
      }
    }
    if (predicate.everything || predicate.matches(object.attributes())) yield object
  }
}
