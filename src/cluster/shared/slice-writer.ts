import type { EndpointSlice } from '../../api/discovery/v1.types.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { groupBy, type SliceChanges } from './endpoint-slices.ts'
import { ENDPOINT_SLICES } from './kinds.ts'
import { isNamespaceTerminating } from './pod-control.ts'
import type { SliceTracker } from './slice-tracker.ts'

export interface SliceWriteOptions {
  /** Object of the slices, in errors: `Service default/web`. */
  readonly of: string
  /** Whether new slices are created. They are not while their owner is being deleted. */
  readonly mayCreate: boolean
  /** Whether the name of a slice that is no longer needed can be used for a new one. */
  readonly mayRecycle: (slice: EndpointSlice) => boolean
}

/** Writes the slices of a controller, and records that in its tracker. */
export class SliceWriter {
  readonly #client: ApiClient
  readonly #tracker: SliceTracker

  constructor(client: ApiClient, tracker: SliceTracker) {
    this.#client = client
    this.#tracker = tracker
  }

  /**
   * Creates, updates and deletes slices, in this order. Stops at the first failure, and rejects with an Error that
   * names the slice.
   */
  async write(changes: SliceChanges, options: SliceWriteOptions): Promise<void> {
    const { create, update, remove } = recycled(changes, options)
    const failure = (verb: string, error: unknown): Error => new Error(`failed to ${verb} for ${options.of}: ${errorMessage(error)}`)
    if (options.mayCreate)
      for (const slice of create)
        try {
          this.#tracker.wrote(await this.#client.create(ENDPOINT_SLICES, slice))
        } catch (error) {
          // No slice can be created in the namespace, and none is needed.
          if (isNamespaceTerminating(error)) return
          throw failure('create EndpointSlice', error)
        }
    for (const slice of update)
      try {
        this.#tracker.wrote(await this.#client.update(ENDPOINT_SLICES, slice))
      } catch (error) {
        throw failure(`update ${slice.metadata.name} EndpointSlice`, error)
      }
    for (const slice of remove) await this.remove(slice, options.of)
  }

  /** Deletes a slice. Rejects with an Error that names it. */
  async remove(slice: EndpointSlice, of: string): Promise<void> {
    const { namespace = '', name = '' } = slice.metadata
    try {
      await this.#client.delete(ENDPOINT_SLICES, namespace, name)
    } catch (error) {
      throw new Error(`failed to delete ${name} EndpointSlice for ${of}: ${errorMessage(error)}`, { cause: error })
    }
    this.#tracker.removed(slice)
  }
}

/** Turns pairs of a new slice and one of its address type that is to be deleted into updates of the latter. */
export function recycled({ create, update, remove }: SliceChanges, { mayRecycle }: Pick<SliceWriteOptions, 'mayRecycle'>): SliceChanges {
  const left = groupBy(create, ({ addressType }) => addressType)
  const changes: SliceChanges = { create: [], update: [...update], remove: [] }
  for (const old of remove) {
    const next = mayRecycle(old) ? left.get(old.addressType)?.pop() : undefined
    if (next) {
      const { generateName: _, ...metadata } = next.metadata
      changes.update.push({ ...next, metadata: { ...metadata, name: old.metadata.name ?? '' } })
    } else changes.remove.push(old)
  }
  for (const slices of left.values()) changes.create.push(...slices)
  return changes
}
