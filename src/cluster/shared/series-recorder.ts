import type { Event } from '../../api/events/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { nextSpareTurn } from '../../lib/turn.ts'
import { formatMicroTime } from '../../meta/time.ts'
import type { EventRecorderParts, EventType } from './event-recorder.ts'
import { EventSeries, type EventWrite, seriesPatch } from './event-series.ts'
import { EventNames, MOST_WAITING_EVENTS, writeEvent } from './event-writing.ts'
import { EVENTS_V1 } from './kinds.ts'
import { objectReference } from './object-reference.ts'
import { KeyQueue } from './work-queue.ts'

/** Number of events that are written at the same time. */
const WRITERS = 4
/** Interval at which ended series are written, in milliseconds. */
const FINISH_MS = 360_000
/** Key of the queue for writing ended series. */
const FINISH = 'finish'
/**
 * Name of the instance in events, which is the host's name upstream. It is constant, so that two runs with one seed
 * store the same bytes.
 */
const INSTANCE = 'binnacle'

/** An event about an object. */
export interface RecordedEvent<T extends TypedObject> {
  /** Kind of the object, which objects from a cache need not carry. */
  readonly kind: ResourceKind<T>
  /** Object that the event regards. */
  readonly about: T
  /** Optional. Another object of the same kind that is concerned. */
  readonly related?: T
  readonly type: EventType
  readonly reason: string
  /** Action that the controller took or tried: `Binding`. */
  readonly action: string
  /** Text for people. */
  readonly note: string
  /** Name of the controller in the event. */
  readonly controller: string
}

/**
 * Records events of the group events.k8s.io, as kube-scheduler does. They are written in the background, several at a
 * time. A failure to write one is only logged. A repeated event becomes a series (`event-series.ts`). `EventRecorder`
 * records those of the group core.
 */
export class SeriesRecorder {
  readonly #parts: EventRecorderParts
  readonly #series = new EventSeries()
  readonly #waiting: EventWrite[] = []
  readonly #queue: KeyQueue
  readonly #names: EventNames
  #next = 0

  constructor(parts: EventRecorderParts) {
    this.#parts = parts
    const { clock, meter, signal, logger } = parts
    this.#names = new EventNames(clock)
    this.#queue = new KeyQueue({
      workers: WRITERS,
      work: key => (key === FINISH ? this.#finish() : this.#writeAll()),
      onError: (_key, error) => logger.debug(2, 'event was not written', { error: errorMessage(error) }),
      clock,
      meter,
      signal,
    })
  }

  /** Records an event. Beyond MOST_WAITING_EVENTS that wait, further ones are dropped. */
  record<T extends TypedObject>({ kind, about, related, type, reason, action, note, controller }: RecordedEvent<T>): void {
    const { name = '', namespace = 'default' } = about.metadata
    const write = this.#series.add({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      metadata: { name: this.#names.next(name), namespace },
      eventTime: formatMicroTime(this.#parts.clock.now()),
      reportingController: controller,
      reportingInstance: `${controller}-${INSTANCE}`,
      action,
      reason,
      regarding: objectReference(kind, about),
      ...(related && { related: objectReference(kind, related) }),
      note,
      type,
    } as Event)
    if (write) this.#enqueue(write)
    this.#queue.addAfter(FINISH, FINISH_MS)
  }

  /** Queues a write, unless too many wait. */
  #enqueue(write: EventWrite): void {
    if (this.#waiting.length >= MOST_WAITING_EVENTS) return
    this.#waiting.push(write)
    // Each writer takes events until none waits.
    this.#queue.add(String(this.#next++ % WRITERS))
  }

  /** Queues the final writes of series that have ended. */
  async #finish(): Promise<void> {
    for (const event of this.#series.finish(this.#parts.clock.now())) this.#enqueue({ action: 'patch', event })
  }

  /** Writes events until none waits. A failed one is not tried again. */
  async #writeAll(): Promise<void> {
    const { signal, logger } = this.#parts
    for (let write = this.#waiting.shift(); write !== undefined && !signal.aborted; write = this.#waiting.shift())
      try {
        await nextSpareTurn()
        await this.#write(write)
      } catch (error) {
        logger.debug(2, 'event was not written', { reason: write.event.reason, error: errorMessage(error) })
      }
  }

  #write({ action, event }: EventWrite): Promise<void> {
    return writeEvent(this.#parts.client, EVENTS_V1, event, action === 'patch' ? seriesPatch(event) : undefined)
  }
}
