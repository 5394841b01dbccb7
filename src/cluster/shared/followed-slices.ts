import type { EndpointSlice } from '../../api/discovery/v1.types.ts'
import { MANAGED_BY, SERVICE_NAME, sliceOwnerKey } from './endpoint-slices.ts'
import type { Informer } from './informer.ts'
import { SliceTracker } from './slice-tracker.ts'

/**
 * The slices that one controller keeps, by the keys of their services. Enqueues a key when another client changes one
 * of its slices.
 */
export class FollowedSlices {
  readonly tracker = new SliceTracker()
  readonly #slices: Informer<EndpointSlice>
  readonly #manager: string
  readonly #enqueue: (key: string) => void
  /** Keys for which the informer lacked a write of the controller. */
  readonly #stale = new Set<string>()

  /** @param manager name of the controller in the label of its slices. */
  constructor(slices: Informer<EndpointSlice>, manager: string, enqueue: (key: string) => void) {
    this.#slices = slices
    this.#manager = manager
    this.#enqueue = enqueue
    slices.addIndex(manager, slice => (this.#isManaged(slice) ? [sliceOwnerKey(slice)] : []))
  }

  /** Starts to report changes. Must be called when the informer has synced. */
  follow(): void {
    this.#slices.on({
      added: slice => this.#changed(slice, this.#isManaged(slice) && this.tracker.isForeign(slice)),
      updated: (slice, old) => {
        const isMoved = slice.metadata.labels?.[SERVICE_NAME] !== old.metadata.labels?.[SERVICE_NAME]
        if (isMoved) this.#changed(old, true)
        const isForeign = this.#isManaged(slice) && this.tracker.isForeign(slice)
        this.#changed(slice, isMoved || isForeign || this.#isManaged(slice) !== this.#isManaged(old))
      },
      deleted: slice => this.#changed(slice, this.#isManaged(slice) && this.tracker.wasLost(slice)),
    })
  }

  /**
   * Returns the slices of a service that are not being deleted. Undefined if the informer lacks a write of the
   * controller: the key is enqueued again when the informer has it.
   */
  of(key: string): readonly EndpointSlice[] | undefined {
    const slices = this.all(key).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    if (!this.tracker.areStale(key, slices)) return slices
    this.#stale.add(key)
    return undefined
  }

  /** Returns all slices of a service, as the informer has them. */
  all(key: string): readonly EndpointSlice[] {
    return this.#slices.store.by(this.#manager, key)
  }

  forget(key: string): void {
    this.tracker.forget(key)
    this.#stale.delete(key)
  }

  #isManaged({ metadata: { labels } }: EndpointSlice): boolean {
    return labels?.[MANAGED_BY] === this.#manager
  }

  #changed(slice: EndpointSlice, isForeign: boolean): void {
    const key = sliceOwnerKey(slice)
    const wasStale = this.#stale.delete(key)
    if (isForeign || wasStale) this.#enqueue(key)
  }
}
