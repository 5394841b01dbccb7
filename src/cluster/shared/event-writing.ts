import type { JsonObject, TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, ResourceKind } from '../../clients/api-client.ts'
import type { Clock } from '../../lib/clock.ts'
import { isStatusError } from '../../meta/status.ts'

/** Number of events that may wait to be written. Further ones are dropped, as by client-go's broadcaster. */
export const MOST_WAITING_EVENTS = 1000
export const NANOS_PER_MS = 1_000_000

/**
 * Names of the events of one recorder: the name of the object, and a time in nanoseconds. Two events in one millisecond
 * have different names.
 */
export class EventNames {
  readonly #clock: Clock
  readonly #offset: bigint
  #latest = 0n

  /**
   * @param offset optional, nanoseconds below one millisecond that are added to each time, so that two recorders do not
   * give the same name
   */
  constructor(clock: Clock, offset = 0) {
    this.#clock = clock
    this.#offset = BigInt(offset)
  }

  /** Returns the name of the next event about an object. */
  next(object: string): string {
    const now = BigInt(this.#clock.now()) * BigInt(NANOS_PER_MS) + this.#offset
    this.#latest = now > this.#latest ? now : this.#latest + 1n
    return `${object}.${this.#latest.toString(16)}`
  }
}

/**
 * Writes an event: creates it, or patches the one that it counts for. If that one has expired, the event is
 * created. @param patch undefined for a new event
 */
export async function writeEvent<T extends TypedObject>(
  client: ApiClient,
  kind: ResourceKind<T>,
  event: T,
  patch: JsonObject | undefined,
): Promise<void> {
  const { namespace = '', name = '' } = event.metadata
  if (patch)
    try {
      await client.patch(kind, { namespace, name }, patch)
      return
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error
    }
  await client.create(kind, event)
}
