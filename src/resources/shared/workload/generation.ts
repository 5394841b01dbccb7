import type { TypedObject } from '../../../api/meta/object.ts'
import type { Steps } from '../../../lib/steps.ts'
import { deepEqualIfSmall } from '../../../meta/equal.ts'
import { countChange } from '../spec-generation.ts'

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
export function prepareUpdate<T extends WithStatus>(next: T, old: T, also = false): Steps<void> | undefined {
  next.status = old.status
  return countChange(next, old, !also && deepEqualIfSmall(next.spec, old.spec))
}
