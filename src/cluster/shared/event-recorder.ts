import type { Event, ObjectReference } from '../../api/core/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import type { TimerClock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import type { QueueMeter } from '../../lib/queue-meter.ts'
import { nextSpareTurn } from '../../lib/turn.ts'
import { formatTime } from '../../meta/time.ts'
import { EventCorrelator, eventPatch } from './event-correlator.ts'
import { EventNames, MOST_WAITING_EVENTS, NANOS_PER_MS, writeEvent } from './event-writing.ts'
import { EVENTS } from './kinds.ts'
import { objectReference } from './object-reference.ts'
import { fnv1a } from './template-hash.ts'
import { KeyQueue } from './work-queue.ts'

/** The only key of the queue: one worker writes all events. */
const QUEUE_KEY = 'events'

/** `Normal` for information, `Warning` for what may need attention. */
export type EventType = 'Normal' | 'Warning'

/** Content of an event. */
export interface EventText {
  readonly type: EventType
  /** Short machine-readable word in CamelCase. */
  readonly reason: string
  /** Text for people. */
  readonly message: string
}

/** Dependencies of a recorder. */
export interface EventRecorderParts {
  /** Name of the controller in the events: `deployment-controller`. */
  readonly component: string
  readonly client: ApiClient
  readonly clock: TimerClock
  readonly logger: Logger
  /** Meter of the queue of events. */
  readonly meter: QueueMeter
  /** Stops writing when it aborts. Events that wait are dropped. */
  readonly signal: AbortSignal
}

/**
 * Records events of the group core, as kube-controller-manager and kubelets do. They are written in the background, in
 * order. A failure to write one is only logged. Repeated and similar events are combined (`event-correlator.ts`).
 * `SeriesRecorder` records those of the other group.
 */
export class EventRecorder {
  readonly #parts: EventRecorderParts
  readonly #correlator = new EventCorrelator()
  readonly #waiting: Event[] = []
  readonly #queue: KeyQueue
  readonly #names: EventNames

  constructor(parts: EventRecorderParts) {
    this.#parts = parts
    this.#names = new EventNames(parts.clock, fnv1a(Buffer.from(parts.component)) % NANOS_PER_MS)
    this.#queue = new KeyQueue({
      workers: 1,
      work: () => this.#writeAll(),
      onError: (_key, error) => parts.logger.debug(2, 'event was not written', { error: errorMessage(error) }),
      clock: parts.clock,
      meter: parts.meter,
      signal: parts.signal,
    })
  }

  /** Records an event about an object. @param kind kind of the object, which objects from a cache need not carry */
  record<T extends TypedObject>(kind: ResourceKind<T>, about: T, type: EventType, reason: string, message: string): void {
    this.recordFor(objectReference(kind, about), type, reason, message)
  }

  /** Records an event about the object of a reference. @param host optional, node whose kubelet records the event */
  recordFor(involvedObject: ObjectReference, type: EventType, reason: string, message: string, host?: string): void {
    if (this.#waiting.length >= MOST_WAITING_EVENTS) return
    const { component, clock } = this.#parts
    const now = formatTime(clock.now())
    this.#waiting.push({
      kind: 'Event',
      apiVersion: 'v1',
      metadata: { name: this.#names.next(involvedObject.name ?? ''), namespace: involvedObject.namespace ?? 'default' },
      involvedObject,
      reason,
      message,
      source: { component, ...(host !== undefined && { host }) },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      type,
      eventTime: null,
      reportingComponent: component,
      reportingInstance: host ?? '',
    })
    this.#queue.add(QUEUE_KEY)
  }

  /** Writes the events that wait, in order. A failed one is not tried again. */
  async #writeAll(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined && !this.#parts.signal.aborted; event = this.#waiting.shift())
      try {
        await nextSpareTurn()
        await this.#write(event)
      } catch (error) {
        this.#parts.logger.debug(2, 'event was not written', { reason: event.reason, error: errorMessage(error) })
      }
  }

  /** Writes an event, or counts it in an earlier one, or drops it. */
  async #write(recorded: Event): Promise<void> {
    const { client, clock } = this.#parts
    const result = this.#correlator.correlate(recorded, clock.now())
    if (result.action === 'skip') return
    await writeEvent(client, EVENTS, result.event, result.action === 'patch' ? eventPatch(result.event) : undefined)
  }
}
