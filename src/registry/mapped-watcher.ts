import type { StorageEvent, Take, Watcher } from '../storage/storage.ts'

type Batch = readonly StorageEvent[]

/** Events that may wait here while others are being mapped. What comes beyond waits in the watcher's own queue, which is bounded. */
const MOST_WAITING = 1000

/**
 * A watcher with its batches as `map` makes them, in their order; empty ones are left out. What comes while one is being mapped is mapped together after it, so that a slow `map` keeps up
 * with many small batches. Ends with what `map` throws.
 */
export function mappedWatcher(watcher: Watcher, map: (events: Batch) => Promise<Batch>): Watcher {
  return {
    close: slow => watcher.close(slow),
    deliver: take => new Delivery(watcher, map, take).run(),
    async *[Symbol.asyncIterator]() {
      for await (const events of watcher) {
        const made = await map(events)
        if (made.length > 0) yield made
      }
    },
  }
}

class Delivery {
  private readonly watcher: Watcher
  private readonly map: (events: Batch) => Promise<Batch>
  private readonly take: Take
  private waiting: Batch[] = []
  private count = 0
  /** Resolves when nothing waits; never rejects. */
  private working: Promise<void> | undefined
  private over = false
  private failure: { readonly error: unknown } | undefined

  constructor(watcher: Watcher, map: (events: Batch) => Promise<Batch>, take: Take) {
    this.watcher = watcher
    this.map = map
    this.take = take
  }

  async run(): Promise<void> {
    try {
      await this.watcher.deliver(events => this.accept(events))
    } finally {
      await this.working
    }
    if (this.failure) throw this.failure.error
  }

  private accept(events: Batch): boolean | Promise<boolean> {
    if (this.over) return false
    this.waiting.push(events)
    this.count += events.length
    this.working ??= this.work()
    return this.count < MOST_WAITING || this.working.then(() => !this.over)
  }

  private async work(): Promise<void> {
    try {
      while (this.waiting.length > 0 && !this.over) {
        const [first, ...more] = this.waiting
        this.waiting = []
        this.count = 0
        // One batch is given as it is: other watchers may have the same.
        const made = await this.map(more.length === 0 ? first! : [first!, ...more].flat())
        if (made.length > 0 && !(await this.take(made))) this.end()
      }
    } catch (error) {
      this.failure = { error }
      this.end()
    }
    this.working = undefined
  }

  private end(): void {
    this.over = true
    this.watcher.close()
  }
}
