import type { EndpointSlice } from '../../api/discovery/v1.types.ts'
import { sliceOwnerKey } from './endpoint-slices.ts'

const DELETED = -1

/**
 * Generations of the slices that a controller has written. They tell its own changes from those of others, and show
 * whether its informer lags behind. Corresponds to upstream's EndpointSliceTracker.
 */
export class SliceTracker {
  /** By the key of the service, the generation of each slice by uid. */
  readonly #generations = new Map<string, Map<string, number>>()

  /** Whether slices that were read from the informer lack a write of this controller. */
  areStale(key: string, slices: readonly EndpointSlice[]): boolean {
    const generations = this.#generations.get(key)
    if (!generations) return false
    const present = new Set<string>()
    for (const { metadata } of slices) {
      const expected = generations.get(metadata.uid ?? '')
      if (expected !== undefined && (expected === DELETED || expected > generationOf(metadata))) return true
      present.add(metadata.uid ?? '')
    }
    for (const [uid, generation] of generations) if (generation !== DELETED && !present.has(uid)) return true
    return false
  }

  /** Whether a slice has changes that this controller did not write. */
  isForeign(slice: EndpointSlice): boolean {
    const expected = this.#of(slice)?.get(slice.metadata.uid ?? '')
    return expected === undefined || generationOf(slice.metadata) > expected
  }

  /** Records a slice that was created or updated, with the generation of the response. */
  wrote(slice: EndpointSlice): void {
    this.#make(slice).set(slice.metadata.uid ?? '', generationOf(slice.metadata))
  }

  /** Records that a slice was deleted. */
  removed(slice: EndpointSlice): void {
    this.#make(slice).set(slice.metadata.uid ?? '', DELETED)
  }

  /** Takes note of a deletion that the informer reports. Returns whether this controller expected the slice to stay. */
  wasLost(slice: EndpointSlice): boolean {
    const generations = this.#of(slice)
    const expected = generations?.get(slice.metadata.uid ?? '')
    generations?.delete(slice.metadata.uid ?? '')
    return expected !== undefined && expected !== DELETED
  }

  forget(key: string): void {
    this.#generations.delete(key)
  }

  #of(slice: EndpointSlice): Map<string, number> | undefined {
    return this.#generations.get(sliceOwnerKey(slice))
  }

  #make(slice: EndpointSlice): Map<string, number> {
    const key = sliceOwnerKey(slice)
    const made = this.#generations.get(key) ?? new Map<string, number>()
    this.#generations.set(key, made)
    return made
  }
}

const generationOf = ({ generation }: EndpointSlice['metadata']): number => Number(generation ?? 0)
