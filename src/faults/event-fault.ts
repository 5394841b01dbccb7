import { WATCH_EVENT_TYPES } from '../meta/watch-event-types.ts'
import type { StorageEvent, Take, Watcher } from '../storage/storage.ts'
import type { FaultEvent, FaultSpec } from './fault-spec.ts'
import type { Holds } from './holds.ts'
import type { ObservedRequest } from './observer.ts'
import { goneByFault } from './watch-fault.ts'

/** Finds the one event of a fault among the events of all its watches. */
export class EventSearch {
  readonly spec: NonNullable<FaultSpec['watch']>
  /** Optional. When the object of the event is deleted. */
  readonly deletes: FaultSpec['writer']
  readonly #event: FaultEvent
  #left: number
  /** Whether the next list or watch of the resource waits. */
  isReopening = false

  constructor(spec: NonNullable<FaultSpec['watch']>, event: FaultEvent, writer: FaultSpec['writer']) {
    this.spec = spec
    this.deletes = writer === 'Changes' ? undefined : writer
    this.#event = event
    this.#left = event.skip ?? 0
  }

  /** Counts an event. Returns true once, for the event of the fault. */
  isFound(event: StorageEvent): boolean {
    if (event.type === 'bookmark' || this.#left < 0) return false
    const { type, namespace, name } = this.#event
    const { namespace: inNamespace, name: ofObject } = event.object.attributes()
    if (
      (type ?? WATCH_EVENT_TYPES[event.type]) !== WATCH_EVENT_TYPES[event.type] ||
      (namespace ?? inNamespace) !== inNamespace ||
      (name ?? ofObject) !== ofObject
    )
      return false
    return this.#left-- === 0
  }
}

/** Returns the search for the event of a fault. Undefined if the fault is not about one event. */
export function eventSearch({ watch, writer }: FaultSpec): EventSearch | undefined {
  const event = eventOf(watch)
  return watch === undefined || event === undefined ? undefined : new EventSearch(watch, event, writer)
}

/** The event of a fault that is about one event. */
export const eventOf = (watch: FaultSpec['watch']): FaultEvent | undefined => watch?.endBefore ?? watch?.holdAt

export interface EventFaultOptions {
  readonly searches: readonly EventSearch[]
  readonly holds: Holds
  readonly observed: ObservedRequest | undefined
  /** Whether the watch delivers nothing until nothing else happens. */
  readonly isHeld: boolean
  /** Called with the revision of each change before it is delivered. */
  readonly changed: (revision: number) => void
  /** Deletes an object. */
  readonly remove: (namespace: string, name: string) => Promise<void>
}

/** Returns a watch that is held or ended at the events of its faults, and whose events are reported to the observer. */
export function eventFaults(watcher: Watcher, { searches, holds, observed, isHeld, changed, remove }: EventFaultOptions): Watcher {
  let isGone = false
  let waits = isHeld
  const pass = async (events: readonly StorageEvent[], take: Take): Promise<boolean> => {
    if (events.length === 0) return true
    const taken = await take(events, true)
    observed?.delivered(events)
    if (events.some(({ type }) => type !== 'bookmark')) holds.delivered()
    return taken
  }
  const removed = async (event: StorageEvent, when: FaultSpec['writer']): Promise<void> => {
    if (when === undefined || event.type === 'bookmark') return
    const { namespace, name } = event.object.attributes()
    const now = (): Promise<void> => {
      observed?.disturbed('delete', event)
      return remove(namespace, name)
    }
    if (when === 'Deletes') await now()
    else void holds.wait().then(now)
  }
  /** Returns false if the watch ends. */
  const each = async (batch: readonly StorageEvent[], take: Take): Promise<boolean> => {
    let passed: StorageEvent[] = []
    for (const event of batch) {
      for (const search of searches.filter(one => one.isFound(event))) {
        const { spec } = search
        if (!(await pass(passed, take))) return false
        passed = []
        await removed(event, search.deletes)
        if (spec.endBefore !== undefined) {
          observed?.disturbed('end', event)
          search.isReopening = spec.reopen === 'Quiet'
          isGone = spec.withGone === true
          return false
        }
        observed?.disturbed('hold', event)
        await holds.wait(spec.until === 'OtherEvent')
      }
      passed.push(event)
    }
    return pass(passed, take)
  }
  return {
    close: slow => watcher.close(slow),
    async deliver(take, joined, begun) {
      const takeEach: Take = async batch => {
        for (const event of batch) if (event.type !== 'bookmark') changed(event.revision)
        if (waits && batch.some(({ type }) => type !== 'bookmark')) {
          waits = false
          await holds.wait()
        }
        return each(batch, take)
      }
      await watcher.deliver(takeEach, joined, begun)
      if (isGone) throw goneByFault()
    },
  }
}
