import { deepEqual } from '../../../meta/equal.ts'
import type { TypedObject } from '../../../meta/object.ts'

interface WithStatus extends TypedObject {
  spec?: unknown
  status?: unknown
}

/** A new object of a kind with a status: nobody but its controller writes the status, and the first generation is 1. */
export function prepareCreate<T extends WithStatus>(next: T, emptyStatus: T['status']): void {
  next.status = emptyStatus
  next.metadata.generation = 1
}

/** Keeps the status; a changed spec makes a new generation. `also`: another reason for one. */
export function prepareUpdate<T extends WithStatus>(next: T, old: T, also = false): void {
  next.status = old.status
  if (also || !deepEqual(next.spec, old.spec)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
}
