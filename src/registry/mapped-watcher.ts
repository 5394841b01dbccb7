import type { StorageEvent, Watcher } from '../storage/storage.ts'

type Batch = readonly StorageEvent[]

/** Events that are mapped in one call, once there are so many. */
const MAPPED_TOGETHER = 1000

/**
 * A watcher with its batches as `map` makes them, in their order; empty ones are left out. What comes while one is mapped waits in the watcher's queue and is mapped together, so that a slow `map`
 * keeps up with many small batches. Ends with what `map` throws.
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
