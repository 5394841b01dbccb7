import { invariant } from '../../lib/invariant.ts'
import { inNextTurn } from '../../lib/turn.ts'
import type { Receipt } from '../event-queue.ts'
import type { RecordedChange } from '../recorded-change.ts'
import type { Revision } from '../revision.ts'
import type { StorageEvent } from '../storage.ts'
import { deliveryOf } from './dispatch-times.ts'
import type { CacheWatcher, InterestGroup } from './interest.ts'
import { CHANGES_PER_ROUND } from './pending-changes.ts'

/**
 * Time that a round may use before it yields to the event loop, in milliseconds, and the number of watchers served
 * between two looks at the clock.
 */
const TURN_MS = 1.5
const WATCHERS_PER_LOOK = 8
/** A group rests for this multiple of the duration of its last round, at most `LONGEST_REST_MS`. */
const REST_FACTOR = 2
/** Longest rest of a group, in milliseconds. */
const LONGEST_REST_MS = 50
/** Shorter rests are skipped. */
const SHORTEST_REST_MS = 1

/** Delivery of a group's pending changes to the watchers that it had at the beginning of the round. */
interface Round {
  readonly group: InterestGroup
  readonly changes: readonly RecordedChange[]
  /** Revisions of the first and the last change. */
  readonly first: Revision
  readonly last: Revision
  readonly watchers: readonly CacheWatcher[]
  /** Time of the monotonic clock, in milliseconds. */
  readonly begun: number
  /** Index of the next watcher to serve. */
  next: number
  /** Created for the first watcher without a predicate, and shared by all of them. */
  events: readonly StorageEvent[] | undefined
  /** Receipt of `events`, which the queues share. */
  receipt: Receipt | undefined
}

/**
 * Delivers changes to watchers in rounds. Changes that arrive while a round serves a group's watchers, and while the
 * group rests afterwards, are the batch of its next round. So batches grow with the load, each watcher gets one per
 * round, and the event loop is held for no more than a few watchers at a time. The rest costs latency and saves work if
 * there are many watchers: writing one event to each of a thousand watchers ten times takes ten times the work of
 * writing ten events to each once.
 */
export class FanOut {
  readonly #rests: boolean
  readonly #waiting: InterestGroup[] = []
  #round: Round | undefined
  #scheduled = false
  #resting = 0

  /** @param rests whether groups rest between rounds */
  constructor(rests = true) {
    this.#rests = rests
  }

  /** Whether changes are being delivered to watchers. */
  get busy(): boolean {
    return this.#scheduled || this.#resting > 0
  }

  /**
   * Schedules a round for a group with pending changes, after its rest if it has just been served. May be called with
   * each change.
   */
  schedule(group: InterestGroup): void {
    // A full round need not rest: it would gather no more.
    if (group.rest !== undefined && group.pending.length >= CHANGES_PER_ROUND) this.#wake(group)
    if (group.scheduled) return
    group.scheduled = true
    const rest = group.restUntil - performance.now()
    if (rest < SHORTEST_REST_MS) {
      this.#enqueue(group)
      return
    }
    this.#resting++
    group.rest = setTimeout(() => this.#wake(group), rest).unref()
  }

  /** Ends the rest of a group. */
  #wake(group: InterestGroup): void {
    clearTimeout(group.rest)
    group.rest = undefined
    this.#resting--
    this.#enqueue(group)
  }

  /** Puts a group last, and schedules a turn if none is. */
  #enqueue(group: InterestGroup): void {
    this.#waiting.push(group)
    if (!this.#scheduled) {
      this.#scheduled = true
      inNextTurn(this.#turn)
    }
  }

  readonly #turn = (): void => {
    const until = performance.now() + TURN_MS
    for (let given = 1; given % WATCHERS_PER_LOOK > 0 || performance.now() < until; given++) {
      this.#round ??= this.#begin()
      const round = this.#round
      if (round === undefined) break
      const watcher = round.watchers[round.next++]
      if (watcher === undefined) {
        this.#round = undefined
        this.#end(round)
        continue
      }
      give(watcher, round)
    }
    this.#scheduled = this.#round !== undefined || this.#waiting.length > 0
    if (this.#scheduled) inNextTurn(this.#turn)
  }

  /**
   * Decides how long the group rests: in proportion to the time of its round, so that many watchers get fewer and
   * longer batches under load.
   */
  #end({ group, begun }: Round): void {
    const now = performance.now()
    const { length } = group.pending
    // If no change arrived during the round, a rest would gather nothing and only delay the next change.
    group.restUntil =
      this.#rests && length > 0 && length < CHANGES_PER_ROUND ? now + Math.min(REST_FACTOR * (now - begun), LONGEST_REST_MS) : 0
    group.scheduled = false
    if (group.pending.length > 0) this.schedule(group)
  }

  /**
   * Takes the changes and the watchers of the group that has waited longest. A watcher that joins later gets them from
   * the history.
   */
  #begin(): Round | undefined {
    const group = this.#waiting.shift()
    if (group === undefined) return undefined
    const changes = group.pending.takeRound()
    const [first, last] = [changes[0], changes.at(-1)]
    invariant(first && last, 'a round has changes')
    const watchers = [...group.watchers]
    return {
      group,
      changes,
      first: first.revision,
      last: last.revision,
      watchers,
      begun: performance.now(),
      next: 0,
      events: undefined,
      receipt: undefined,
    }
  }
}

/**
 * Queues the changes of a round that the watcher wants: the shared array if it wants all of them, an array of its own
 * otherwise.
 */
function give(watcher: CacheWatcher, round: Round): void {
  const { changes, first, last } = round
  const { times } = round.group
  const { queue, predicate } = watcher
  if (queue.ended || watcher.seen >= last) return
  const { seen } = watcher
  watcher.seen = last
  if (predicate.everything && seen < first) {
    if (round.events === undefined) {
      round.events = changes.map(change => change.event).filter(event => event !== undefined)
      round.receipt = deliveryOf(changes, times)
    }
    queue.push(round.events, round.receipt)
  } else {
    const events: StorageEvent[] = []
    const sent: RecordedChange[] = []
    for (const change of changes) {
      if (change.revision <= seen) continue
      const event = change.eventFor(predicate)
      if (event === undefined) continue
      events.push(event)
      sent.push(change)
    }
    queue.push(events, deliveryOf(sent, times))
  }
}
