import type { Event } from '../../api/core/v1.types.ts'
import { SizedCache } from '../../lib/sized-cache.ts'

/** Number of events, aggregates and objects that are remembered, as in client-go. */
const MOST_KEPT = 4096
/**
 * Events of one object with the same reason are aggregated if this many have different messages within the interval.
 */
const MOST_SIMILAR = 10
/** Interval of MOST_SIMILAR, in milliseconds. */
const SIMILAR_MS = 600_000
/** Budget of events of one object: a burst, and one more every five minutes. */
const SPAM_BURST = 25
/** Tokens that a budget gains in a millisecond. */
const SPAM_PER_MS = 1 / 300_000

/** Prefix of the message of a combined event, as in client-go. */
const AGGREGATE_PREFIX = '(combined from similar events): '

/** The first event of those that are counted together. */
interface Observation {
  /** Name of the stored event, whose count is raised. */
  readonly name: string
  readonly count: number
  readonly firstTimestamp: Event['firstTimestamp']
}

/** Different messages of events with the same reason. */
interface Similar {
  /** At most MOST_SIMILAR, oldest first. */
  readonly messages: Set<string>
  lastSeen: number
}

/** Token bucket of one object. */
interface Budget {
  /** Tokens at the time `at`. An event takes one. */
  tokens: number
  at: number
}

/** An event to write. */
export type CorrelatedEvent =
  | { readonly action: 'create'; readonly event: Event }
  /** The event was written before: its count and times change, and its message if it stands for several. */
  | { readonly action: 'patch'; readonly event: Event }
  | { readonly action: 'skip' }

/**
 * Decides how an event is written, as client-go's EventCorrelator with its default options: an object gets at most 25
 * events and then one every five minutes. An event that was seen before only raises the count of the first one. From
 * the tenth message on with the same reason within ten minutes, events of the object are combined into one.
 */
export class EventCorrelator {
  readonly #observed = new SizedCache<Observation>(MOST_KEPT, MOST_KEPT)
  readonly #similar = new SizedCache<Similar>(MOST_KEPT, MOST_KEPT)
  readonly #budgets = new SizedCache<Budget>(MOST_KEPT, MOST_KEPT)

  /** @param now milliseconds since the epoch. */
  correlate(event: Event, now: number): CorrelatedEvent {
    const spamKey = spamKeyOf(event)
    const { event: combined, key } = this.#aggregate(event, spamKey, now)
    const known = this.#observed.get(key)
    const result = known
      ? { ...combined, metadata: { ...combined.metadata, name: known.name }, firstTimestamp: known.firstTimestamp }
      : combined
    const count = (known?.count ?? 0) + 1
    const counted: Event = { ...result, count }
    this.#observed.set(key, { name: counted.metadata.name ?? '', count, firstTimestamp: counted.firstTimestamp }, 1)
    if (!this.#takeToken(spamKey, now)) return { action: 'skip' }
    return { action: known ? 'patch' : 'create', event: counted }
  }

  /** Returns the event, or the one that replaces several similar ones, with the key of its count. */
  #aggregate(event: Event, spamKey: string, now: number): { readonly event: Event; readonly key: string } {
    const key = aggregateKey(event, spamKey)
    const known = this.#similar.get(key)
    const similar = known && now - known.lastSeen <= SIMILAR_MS ? known : { messages: new Set<string>(), lastSeen: now }
    const message = event.message ?? ''
    similar.messages.add(message)
    similar.lastSeen = now
    this.#similar.set(key, similar, 1)
    if (similar.messages.size < MOST_SIMILAR) return { event, key: eventKey(event, spamKey) }
    const [first = ''] = similar.messages
    similar.messages.delete(first)
    return { event: { ...event, message: AGGREGATE_PREFIX + message }, key }
  }

  /** Takes a token of the object's budget. Returns false if there is none. */
  #takeToken(key: string, now: number): boolean {
    const budget = this.#budgets.get(key) ?? { tokens: SPAM_BURST, at: now }
    budget.tokens = Math.min(SPAM_BURST, budget.tokens + Math.max(0, now - budget.at) * SPAM_PER_MS)
    budget.at = now
    this.#budgets.set(key, budget, 1)
    if (budget.tokens < 1) return false
    budget.tokens--
    return true
  }
}

/** Merge patch of an event that was written before. */
export const eventPatch = ({
  count = 1,
  lastTimestamp,
  message = '',
}: Event): { count: number; lastTimestamp: Event['lastTimestamp']; message: string } => ({
  count,
  lastTimestamp,
  message,
})

/** Key of the budget: source and object. */
function spamKeyOf({ source, involvedObject: { kind, namespace, name, uid, apiVersion } }: Event): string {
  return JSON.stringify([source.component, source.host, kind, namespace, name, uid, apiVersion])
}

/** Key of similar events: everything but the message. */
function aggregateKey({ type, reason, reportingComponent, reportingInstance }: Event, spamKey: string): string {
  return spamKey + JSON.stringify([type, reason, reportingComponent, reportingInstance])
}

/** Key of repeated events: everything but the times. */
function eventKey({ involvedObject: { fieldPath }, type, reason, message }: Event, spamKey: string): string {
  return spamKey + JSON.stringify([fieldPath, type, reason, message])
}
