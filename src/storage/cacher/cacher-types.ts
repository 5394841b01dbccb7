import type { Clock, TimerClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { CorruptReports } from '../corrupt.ts'
import type { FutureCode } from '../direct/direct-storage.ts'
import type { RequestTimings } from '../request-timings.ts'
import type { Key, Revision } from '../revision.ts'
import type { Storage } from '../storage.ts'
import type { CachedResource, ResourceCache, SavedState } from './resource-cache.ts'
import type { ResourceStats } from './resource-stats.ts'
import type { RevisionClock } from './revision-clock.ts'

/** States of resources at one revision. A cacher over a copy of the store begins with copies of them. */
export interface SavedStates {
  /** Revision that all states have. */
  readonly revision: Revision
  /** States by the prefix of their resource. Resources without a loaded state are missing. */
  readonly of: ReadonlyMap<Key, SavedState>
}

/** Options of a cacher. All have defaults. */
export interface CacherOptions {
  /**
   * Default: the steady clock, because a jump of the system clock must neither empty the history nor delay bookmarks.
   */
  readonly clock?: Clock
  /**
   * Optional. Replaces the steady clock and its timer: bookmarks and the expiry of history run whenever this clock is
   * moved.
   */
  readonly timers?: TimerClock | undefined
  readonly logger?: Logger
  /** Common prefix of the keys of all resources. Default: `/registry/`. */
  readonly prefix?: Key
  /** How long changes are kept for watches that resume and for exact reads. Default: 75 s, as in kube-apiserver. */
  readonly historyMs?: number
  /** Bytes of changes that are kept per resource. Default: 16 MiB. */
  readonly historyBytes?: number
  /** How long a read waits for its revision. Default: 3 s. */
  readonly revisionWaitMs?: number
  /** Queued events per watcher. Default: 4096. */
  readonly queueLimit?: number
  /** Bytes of queued objects per watcher. Default: 16 MiB. */
  readonly queueBytes?: number
  /** Interval of bookmarks. Default: 1 min. */
  readonly bookmarkMs?: number
  /**
   * Interval at which each resource is compared with the store, and reloaded if they differ. 0 disables it. Default: 5
   * min, as in kube-apiserver.
   */
  readonly consistencyCheckMs?: number
  /**
   * Delay of a comparison after the watch is opened, for watches in which a gap does not show a loss. Default: 30 s.
   */
  readonly recheckMs?: number
  /**
   * Whether consistent reads are served from the cache once it has the store's newest revision. Otherwise the store
   * serves them. Default: true.
   */
  readonly consistentReads?: boolean
  /**
   * Whether exact lists, and pages after the first, are served from the cache while it has their state. Otherwise the
   * store serves them. Default: true.
   */
  readonly exactReads?: boolean
  /**
   * Whether a page at a future revision shows the present state, as kube-apiserver's snapshots do up to 1.33. Otherwise
   * the store refuses it. Default: false.
   */
  readonly servesFuturePages?: boolean
  /** Error code of that refusal. Default: `future revision`. */
  readonly futureCode?: FutureCode
  /**
   * As kube-apiserver's ResilientWatchCacheInitialization: until the initial state is loaded, gets and limited lists
   * without selectors are served by the store. Other lists and watches wait for `startWaitMs` and then fail with
   * `initializing`. If false, all of them wait. Default: true.
   */
  readonly resilientStart?: boolean
  /** Default: 3 s. */
  readonly startWaitMs?: number
  /**
   * Whether a resource is loaded by the first request that needs its cache: a watch, or a whole list. Until then the
   * store serves it as during startup. Default: false.
   */
  readonly onDemand?: boolean
  /** Optional. Times store requests by resource. */
  readonly timings?: RequestTimings
  /**
   * Whether groups of watchers rest between rounds of changes. A rest is as long as the machine takes, so a simulation
   * has none. Default: true.
   */
  readonly rests?: boolean
  /** Optional. Called each second with the largest number of watchers that want the same changes. */
  readonly onWatchers?: (most: number) => void
  /** Whether the delivery of changes to watchers is measured. Default: false. */
  readonly measuresDispatch?: boolean
  /** How unreadable objects are reported. Default: plainReports. */
  readonly reports?: CorruptReports
  /**
   * Optional. States of a cacher over the store of which this one's is a copy, with equivalent codecs. They are copied
   * instead of read from the store.
   */
  readonly beginWith?: SavedStates | undefined
}

/**
 * Counters of a cacher. They are plain numbers, so that counting costs little; metrics are made of them at a scrape.
 */
export interface CacherStats {
  /** Revision that the cache has reached. */
  readonly revision: Revision
  /** Number of full reloads after lost changes. */
  readonly relists: number
  /** Reads of the store's newest revision. Concurrent consistent reads share one. */
  readonly probes: number
  /** Number of progress requests to the store's watch. */
  readonly progressRequests: number
  /** Consistent reads that the store served because the cache did not keep up. */
  readonly fallbacks: number
  /** Statistics of each resource that has not been removed. */
  readonly resources: readonly ResourceStats[]
}

/** A resource whose initial state is being loaded. */
export interface LoadingResource {
  /** Resource and group: `deployments.apps`. */
  readonly name: string
  /** Number of objects read so far. */
  readonly objects: number
}

/** A watch cache over one store, with the storages of its resources. */
export interface Cacher {
  /** @throws InvariantError for a resource that is not cached */
  storageFor(name: string): Storage
  /**
   * Whether the initial states are loaded: those of all resources at the start, and of those added in the meantime.
   * Stays true.
   */
  ready(): boolean
  /** Resources whose initial state is not loaded yet, except those that are loaded on demand. */
  loading(): readonly LoadingResource[]
  /** Resolves when `ready`. Rejects with StorageError `timeout` when the signal aborts. */
  synced(signal: AbortSignal): Promise<void>
  /** Adds a resource to the cache. Reads of it wait until its state is loaded. */
  addResource(resource: CachedResource): Storage
  /**
   * Removes the cache of a resource and ends its watches, after `lingerMs` if that is given. Requests that still use
   * its storage then read from the store.
   */
  removeResource(name: string, lingerMs?: number): void
  /** Drops history up to the revision to which the store is compacted. */
  forget(upTo: Revision): void
  /** Number of objects of a resource; undefined if it is not cached or not loaded yet. */
  count(name: string): number | undefined
  /** Average size of an object's JSON response in bytes; 0 if there is none, or none is loaded. */
  averageBytes(name: string): number
  /** Returns the present counters. Called at each scrape. */
  stats(): CacherStats
  /**
   * Describes how the store is followed, if that depends on its version or on the rights of its user. Undefined before
   * the first watch, and for other stores.
   */
  following(): string | undefined
  /** Returns the present states; undefined until they are loaded. Takes constant time for each resource. */
  kept(): SavedStates | undefined
  /**
   * Stops following the store and ends all watches. Reads that wait for a load fail with StorageError `unavailable`.
   */
  close(): Promise<void>
}

/** State and options that the storages of a cacher share. */
export interface CacherCore {
  /** Revision that the cache has reached, for reads that wait for one. */
  readonly time: RevisionClock
  readonly clock: Clock
  /** How long a read waits for its revision, in milliseconds. */
  readonly revisionWaitMs: number
  /** Maximum number of queued events per watcher. */
  readonly queueLimit: number
  /** Maximum bytes of queued objects per watcher. Undefined for the default of EventQueue. */
  readonly queueBytes: number | undefined
  /** Interval of bookmarks in milliseconds. */
  readonly bookmarkMs: number
  /** Whether consistent reads may be served from the cache. */
  readonly consistentReads: boolean
  /** Whether exact reads may be served from the cache. */
  readonly exactReads: boolean
  /** Whether a page at a future revision shows the present state. */
  readonly servesFuturePages: boolean
  /**
   * Whether gets and small lists are served by the store while a resource has no state yet. Other reads then wait only
   * for a short time.
   */
  readonly resilientStart: boolean
  /**
   * Resolves once the resource's initial state is loaded, or the resource has been removed. Rejects with StorageError
   * `initializing` if the state is not loaded in time.
   */
  loaded(cache: ResourceCache, signal: AbortSignal): Promise<void>
  /** Returns the store's newest revision, as of a moment after the call. */
  probe(signal: AbortSignal): Promise<Revision>
  /**
   * Whether the cache has reached the revision, or will reach it if the store has it. If not, the store has to be read.
   */
  comesTo(revision: Revision): boolean
  /**
   * Reopens the watch: the cache has not reached a revision that the store has, or has one that the store does not
   * have.
   */
  suspect(): void
}
