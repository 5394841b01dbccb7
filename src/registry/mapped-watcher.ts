import type { StorageEvent, Watcher } from '../storage/storage.ts'

type Batch = readonly StorageEvent[]

/** Largest number of queued events that are mapped in one call. */
const MAPPED_TOGETHER = 1000

/**
 * Returns a watcher that delivers the batches of another after `map`, in order. Empty batches are dropped. Events that
 * arrive during a call wait in the watcher's queue and are mapped together, so that a slow `map` keeps up with many
 * small batches. If `map` throws, the watch ends with that error.
 */
export const mappedWatcher = (watcher: Watcher, map: (events: Batch) => Promise<Batch>): Watcher => ({
  close: slow => watcher.close(slow),
  deliver: (take, _joined, begun) =>
    watcher.deliver(
      async events => {
        const made = await map(events)
        return made.length === 0 || take(made)
      },
      MAPPED_TOGETHER,
      begun,
    ),
})
