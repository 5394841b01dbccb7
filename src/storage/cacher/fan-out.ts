import type { RecordedChange } from '../recorded-change.ts'
import type { Revision } from '../revision.ts'
import type { StorageEvent } from '../storage.ts'
import type { CacheWatcher, InterestGroup } from './interest.ts'

/** Watchers that are given their events before the event loop has its turn. */
const watchersPerTurn = 64
/** Predicates evaluated before that. */
const matchesPerTurn = 5000

interface Round {
  readonly group: InterestGroup
  readonly changes: readonly RecordedChange[]
  readonly last: Revision
  readonly watchers: readonly CacheWatcher[]
  next: number
  /** Made when the first watcher without a predicate comes; shared by all of those. */
  events: readonly StorageEvent[] | undefined
}

/**
 * Gives changes to watchers in rounds: what came in while a round went over a group's watchers is the next round's batch. So batches grow with the load, a
 * watcher gets one per round, and the event loop is never held for more than some watchers.
 */
export class FanOut {
  readonly #waiting: InterestGroup[] = []
  #round: Round | undefined
  #scheduled = false

  /** Changes are under way to watchers. */
  get busy(): boolean {
    return this.#scheduled
  }

  schedule(group: InterestGroup): void {
    if (!group.scheduled) {
      group.scheduled = true
      this.#waiting.push(group)
    }
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(this.#turn)
    }
  }

  readonly #turn = (): void => {
    let watchers = watchersPerTurn
    let matches = matchesPerTurn
    while (watchers > 0 && matches > 0) {
      this.#round ??= this.#begin()
      const round = this.#round
      if (round === undefined) break
      const watcher = round.watchers[round.next++]
      if (watcher === undefined) {
        this.#round = undefined
        continue
      }
      watchers--
      if (!watcher.predicate.everything) matches -= round.changes.length
      give(watcher, round)
    }
    this.#scheduled = this.#round !== undefined || this.#waiting.length > 0
    if (this.#scheduled) setImmediate(this.#turn)
  }

  #begin(): Round | undefined {
    const group = this.#waiting.shift()
    if (group === undefined) return undefined
    group.scheduled = false
    const changes = group.pending
    group.pending = []
    return { group, changes, last: changes.at(-1)!.revision, watchers: [...group.watchers], next: 0, events: undefined }
  }
}

function give(watcher: CacheWatcher, round: Round): void {
  const { changes, last } = round
  const { queue, predicate } = watcher
  if (queue.ended || watcher.seen >= last) return
  if (predicate.everything && watcher.seen < changes[0]!.revision) {
    round.events ??= changes.map(change => change.event).filter(event => event !== undefined)
    queue.push(round.events)
  } else {
    const events: StorageEvent[] = []
    for (const change of changes) {
      if (change.revision <= watcher.seen) continue
      const event = change.eventFor(predicate)
      if (event !== undefined) events.push(event)
    }
    queue.push(events)
  }
  watcher.seen = last
  queue.wake()
}
