import type { Clock, TimerClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { CorruptReports } from '../corrupt.ts'
import type { FutureCode } from '../direct/direct-storage.ts'
import type { RequestTimings } from '../request-timings.ts'
import type { Key, Revision } from '../revision.ts'
import type { Storage } from '../storage.ts'
import type { CachedResource, KeptState, ResourceCache } from './resource-cache.ts'
import type { ResourceStats } from './resource-stats.ts'
import type { RevisionClock } from './revision-clock.ts'

/** The states of resources at one revision, of which the cacher over a copy of the store begins with copies. */
export interface KeptStates {
  readonly revision: Revision
  /** By prefix. Those that are not known are missing. */
  readonly of: ReadonlyMap<Key, KeptState>
}

/** What may be set otherwise than by default. */
export interface CacherOptions {
  /** Default: the steady clock. A jump of the system's clock must neither empty the history nor keep bookmarks back. */
  readonly clock?: Clock
  /** In place of the steady clock, and it calls: bookmarks come, and history goes, whenever it is moved. */
  readonly timers?: TimerClock | undefined
  readonly logger?: Logger
  /** Begins the keys of all resources that are or will be cached. Default: `/registry/`. */
  readonly prefix?: Key
  /** How long changes are kept for watches that resume and for exact reads. Default 75 s, as kube-apiserver. */
  readonly historyMs?: number
  /** Bytes of changes kept per resource. Default 16 MiB. */
  readonly historyBytes?: number
  /** How long a read waits for its revision. Default 3 s. */
  readonly revisionWaitMs?: number
  /** Events that may wait for a watcher. Default 4096. */
  readonly queueLimit?: number
  /** Bytes of objects that may wait for a watcher. Default 16 MiB. */
  readonly queueBytes?: number
  /** Default: a minute. */
  readonly bookmarkMs?: number
  /** How often each resource is compared with the store, and read anew where they differ. 0: never. Default: 5 minutes, as kube-apiserver. */
  readonly consistencyCheckMs?: number
  /** How soon they are compared after the watch was opened, unless a gap would show a loss. Default: 30 s. */
  readonly recheckMs?: number
  /** Latest reads come from the cache once it has the store's newest revision; otherwise from the store. Default true. */
  readonly consistentReads?: boolean
  /** Exact lists, and pages after the first, come from the cache while it has their state; otherwise from the store. Default true. */
  readonly exactReads?: boolean
  /** Whether a page at a revision that has not come shows the present state, as kube-apiserver does from its snapshots up to 1.33. Otherwise the store refuses it. Default: false. */
  readonly servesFuturePages?: boolean
  /** Code of the refusal. Default: `future revision`. */
  readonly futureCode?: FutureCode
  /**
   * As kube-apiserver's ResilientWatchCacheInitialization: until the first state is there, gets and limited lists without selectors are read from the store, and other lists and
   * watches wait for `startWaitMs` and are then asked to come again. Otherwise all of them wait. Default true.
   */
  readonly resilientStart?: boolean
  /** Default 3 s. */
  readonly startWaitMs?: number
  /** A resource is read when somebody asks for what only its cache answers: a watch, or a whole list. Until then the store is asked as while it starts. Default: all are read at the start. */
  readonly onDemand?: boolean
  /** Times requests of the store for one resource each; absent: nobody wants to know. */
  readonly timings?: RequestTimings
  /** Called each second with the largest number of watchers that want the same changes. */
  readonly onWatchers?: (most: number) => void
  /** How objects that can't be read are reported. Default: plainReports. */
  readonly reports?: CorruptReports
  /** Of a cacher over the store of which this one's is a copy, and whose codecs read alike: copied in place of reading it. */
  readonly beginWith?: KeptStates | undefined
}

/** Those of all. Plain numbers: nothing is made for a metric before it is asked for. */
export interface CacherStats {
  readonly revision: Revision
  /** Times the whole state was read anew because changes were lost. */
  readonly relists: number
  readonly probes: number
  /** Requests of the progress of the store's watch. */
  readonly progressRequests: number
  /** Latest reads that the store had to answer because the cache did not keep up. */
  readonly fallbacks: number
  readonly resources: readonly ResourceStats[]
}

/** A resource whose first state is being read. */
export interface LoadingResource {
  readonly name: string
  /** Objects that have been read. */
  readonly objects: number
}

export interface Cacher {
  /** @throws InvariantError for a resource that is not cached */
  storageFor(name: string): Storage
  /** Whether the first states of the resources that were there at the start, and of those that came meanwhile, have been read. Stays true. */
  ready(): boolean
  /** Resources whose first state is not there yet. Empty once all are read, but for those that are read on demand. */
  loading(): readonly LoadingResource[]
  /** Resolves when `ready`. Rejects with StorageError `timeout` when the signal aborts. */
  synced(signal: AbortSignal): Promise<void>
  /** Caches one more resource; reads of it wait until its state is there. */
  addResource(resource: CachedResource): Storage
  /** Ends the watches of a resource and removes its cache. Requests that still hold its storage read from the store. */
  removeResource(name: string): void
  /** Forgets the history up to a revision that the store is compacted to. */
  forget(upTo: Revision): void
  /** Objects of a resource; undefined where it is not cached, or not read yet. */
  count(name: string): number | undefined
  /** Bytes of one of them as it is answered in JSON, on average; 0 where there is none, or nothing is known. */
  averageBytes(name: string): number
  stats(): CacherStats
  /** Describes how the store is followed, if its version or the rights of its user decide that. Undefined before the first watch, and for other stores. */
  following(): string | undefined
  /** The present states; undefined until there are. Takes constant time for each resource. */
  kept(): KeptStates | undefined
  close(): Promise<void>
}

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
  readonly servesFuturePages: boolean
  /** While a resource has no state yet, gets and small lists are read from the store, and others wait for a short time only. */
  readonly resilientStart: boolean
  /** Resolves once the resource's initial state is loaded, or the resource has been removed. Rejects with StorageError `initializing` if the state is not loaded in time. */
  loaded(cache: ResourceCache, signal: AbortSignal): Promise<void>
  /** The store's newest revision, as of a moment after the call. */
  probe(signal: AbortSignal): Promise<Revision>
  /** Whether the cache has the revision, or comes to it if it is one of the store. If not, the store has to be read. */
  comesTo(revision: Revision): boolean
  /** The cache has not come to a revision that the store has, or has come to one that it has not: the watch is opened anew. */
  suspect(): void
}
