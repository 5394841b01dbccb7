import { HistogramChild } from '../../lib/metrics.ts'
import { ListCounts } from '../list-metrics.ts'
import { DispatchTimes } from './dispatch-times.ts'

/** Bucket bounds of `readWait`, in seconds. */
export const READ_WAITS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]

/** Bucket bounds of `loadTimes`, in seconds. */
export const LOAD_TIMES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600]

/** Counters of one resource's cache: plain numbers that are incremented in place and read at a scrape. */
export class ResourceCounts {
  /** Number of states installed. */
  initializations = 0
  /** Failed attempts to read a state. */
  failedLoads = 0
  /** Time from the start of the read of a state until it was installed, in seconds. */
  readonly loadTimes = new HistogramChild(LOAD_TIMES)
  /** Changes received from the store. */
  received = 0
  /** Changes delivered to watchers, each counted once for all of them. */
  dispatched = 0
  /** Initial events of watches. */
  initEvents = 0
  /** Watches ended because their clients did not keep up. */
  slowWatchers = 0
  /** Open watches of a shard, and objects that they left out. */
  shardedWatches = 0
  otherShards = 0
  /** Writes that waited because delivery to watchers was behind. */
  pacedWrites = 0
  /** Objects in the store that could not be read. */
  unreadable = 0
  /**
   * Lists served from the cache, and objects examined for them: by a scan, by the indexed field, and by indexed labels.
   */
  readonly scans = { lists: 0, fetched: 0 }
  readonly byField = { lists: 0, fetched: 0 }
  readonly byLabel = { lists: 0, fetched: 0 }
  /** Objects returned in lists from the cache. */
  returned = 0
  /**
   * Consistent lists by source: the cache, or the store because the cache did not keep up. `failed`: the store failed,
   * too.
   */
  readonly consistent = { cache: 0, store: 0, failed: 0 }
  /** Comparisons with the store by outcome: equal, different (the state was reloaded), or failed. */
  readonly checks = { success: 0, failure: 0, error: 0 }
  /** Time that reads waited for their revision, in seconds. */
  readonly readWait = new HistogramChild(READ_WAITS)
  readonly dispatch = new DispatchTimes()
  /** Lists served by the store. */
  readonly stored = new ListCounts()
}
