import { deepEqual } from '../../../meta/equal.ts'
import type { TypedObject } from '../../../meta/object.ts'

interface WithStatus extends TypedObject {
  spec?: unknown
  status?: unknown
}

/** Prepares a new object of a kind with a status: the status is reset, and the generation is 1. */
export function prepareCreate<T extends WithStatus>(next: T, emptyStatus: T['status']): void {
  next.status = emptyStatus
  next.metadata.generation = 1
}

/** Prepares an update: the status is kept, and a changed spec increments the generation. `also` is another reason to increment it. */
export function prepareUpdate<T extends WithStatus>(next: T, old: T, also = false): void {
  next.status = old.status
  if (also || !deepEqual(next.spec, old.spec)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
}
