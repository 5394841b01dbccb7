import type { Event } from '../../api/events/v1.types.ts'
import { formatMicroTime, timeMillis } from '../../meta/time.ts'

/** An event that has not happened again for this time, in milliseconds, is forgotten: the next one is a new event. */
const FINISHED_MS = 360_000
/** Most events that are remembered. */
const MOST_EVENTS = 10_000

/** An event to write: a new one, or the series of one that was written before. */
export type EventWrite = { readonly action: 'create'; readonly event: Event } | { readonly action: 'patch'; readonly event: Event }

/**
 * Decides how an event of events.k8s.io is written. An event with the same objects, reason and action as an earlier one
 * makes that one a series. Further ones are counted, and the count is written when the series ends. Source:
 * eventBroadcasterImpl of k8s.io/client-go/tools/events.
 */
export class EventSeries {
  readonly #events = new Map<string, Event>()

  /** Returns what to write for an event at its time. Undefined if it is only counted. */
  add(event: Event): EventWrite | undefined {
    const key = JSON.stringify([
      event.type,
      event.action,
      event.reason,
      event.reportingController,
      event.reportingInstance,
      event.regarding,
      event.related,
    ])
    const known = this.#events.get(key)
    if (known === undefined) {
      if (this.#events.size >= MOST_EVENTS) this.#events.clear()
      this.#events.set(key, event)
      return { action: 'create', event }
    }
    const now = event.eventTime ?? ''
    const isNew = known.series === undefined
    const counted: Event = { ...known, series: { count: (known.series?.count ?? 1) + 1, lastObservedTime: now } }
    this.#events.set(key, counted)
    return isNew ? { action: 'patch', event: counted } : undefined
  }

  /**
   * Forgets events that have not happened for a while. Returns the series among them, whose last count is to be
   * written.
   */
  finish(now: number): Event[] {
    const ended: Event[] = []
    for (const [key, event] of this.#events) {
      if ((timeMillis(event.series?.lastObservedTime ?? event.eventTime) ?? 0) > now - FINISHED_MS) continue
      this.#events.delete(key)
      if (event.series) ended.push(event)
    }
    return ended
  }
}

/** Merge patch of an event that has become a series. */
export const seriesPatch = ({ series }: Event): { series: { count: number; lastObservedTime: string } } => ({
  series: { count: series?.count ?? 0, lastObservedTime: series?.lastObservedTime ?? formatMicroTime(0) },
})
