import { HistogramChild } from '../../lib/metrics.ts'
import { ListCounts } from '../list-metrics.ts'

/** Bounds of `readWait`, in seconds. */
export const READ_WAITS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3]

/** What has happened to one resource's cache: plain numbers, raised where it happens and read when metrics are asked for. */
export class ResourceCounts {
  /** States put in place. */
  initializations = 0
  /** Changes that came from the store. */
  received = 0
  /** Changes given to those who watch, each once however many they are. */
  dispatched = 0
  /** Events that watches began with. */
  initEvents = 0
  /** Watches ended because their clients did not keep up. */
  slowWatchers = 0
  /** Writes that waited as the server was behind with its watchers. */
  pacedWrites = 0
  /** Objects of the store that could not be read. */
  unreadable = 0
  /** Lists that the cache answered, and objects looked at for them: by a scan, by the field that is indexed, and by labels that are. */
  readonly scans = { lists: 0, fetched: 0 }
  readonly byField = { lists: 0, fetched: 0 }
  readonly byLabel = { lists: 0, fetched: 0 }
  /** Objects given in lists from the cache. */
  returned = 0
  /** Newest lists by who answered: the cache, or the store because the cache did not keep up, which may fail. */
  readonly consistent = { cache: 0, store: 0, failed: 0 }
  /** Comparisons with the store by their outcome: equal, different (the state was then read anew), without an answer. */
  readonly checks = { success: 0, failure: 0, error: 0 }
  /** Seconds that reads of a revision waited for it. */
  readonly readWait = new HistogramChild(READ_WAITS)
  /** Lists that the store answered. */
  readonly stored = new ListCounts()
}
