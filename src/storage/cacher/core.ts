import type { Clock } from '../../lib/clock.ts'
import type { Revision } from '../revision.ts'
import type { ResourceCache } from './resource-cache.ts'
import type { RevisionClock } from './revision-clock.ts'

/** What the storages of a cacher share. */
export interface CacherCore {
  readonly time: RevisionClock
  readonly clock: Clock
  readonly revisionWaitMs: number
  readonly queueLimit: number
  readonly queueBytes: number | undefined
  readonly bookmarkMs: number
  /** Latest reads may come from the cache. */
  readonly consistentReads: boolean
  /** Exact reads may. */
  readonly exactReads: boolean
  /** While a resource has no state yet, gets and small lists are read from the store, and others wait for a short time only. */
  readonly resilientStart: boolean
  /** Resolves once the resource's first state is there. Rejects with StorageError `initializing` where it does not come in time. */
  loaded(cache: ResourceCache, signal: AbortSignal): Promise<void>
  /** The store's newest revision, as of a moment after the call. */
  probe(signal: AbortSignal): Promise<Revision>
  /** The cache has not come to a revision that the store has: the watch is opened anew. */
  suspect(): void
}
