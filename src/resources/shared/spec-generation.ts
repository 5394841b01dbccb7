import type { TypedObject } from '../../api/meta/object.ts'
import type { Steps } from '../../lib/steps.ts'
import { deepEqualIfSmall, deepEqualInSteps } from '../../meta/equal.ts'

/** Object whose spec is compared as a whole. */
interface WithSpec extends TypedObject {
  spec?: unknown
}

/** Object whose status a write of the main resource does not change. */
interface WithStatus extends WithSpec {
  status?: unknown
}

/** Sets the generation of a kind without a status: 1 on create, incremented if the spec changes. */
export function prepareGeneration(next: WithSpec, old: WithSpec | undefined): Steps<void> | undefined {
  if (old) return countChange(next, old)
  next.metadata.generation = 1
  return undefined
}

/** Prepares a new object of a kind with a status: the status is reset, and the generation is 1. */
export function prepareCreate<T extends WithStatus>(next: T, emptyStatus: T['status']): void {
  next.status = emptyStatus
  next.metadata.generation = 1
}

/**
 * Prepares an update: the status is kept, and a changed spec increments the generation. `counted` returns what is
 * compared. Default: the spec.
 */
export function prepareUpdate<T extends WithStatus>(next: T, old: T, counted: (object: T) => unknown = specOf): Steps<void> | undefined {
  next.status = old.status
  return countChange(next, old, counted)
}

/**
 * Increments the generation unless `counted` returns the same of both. Large values are compared in steps, which are
 * returned.
 */
export function countChange<T extends TypedObject>(next: T, old: T, counted: (object: T) => unknown = specOf): Steps<void> | undefined {
  const [after, before] = [counted(next), counted(old)]
  const isSame = deepEqualIfSmall(after, before)
  if (isSame === undefined) return countLargeChange(next, old, deepEqualInSteps(after, before))
  setGeneration(next, old, !isSame)
  return undefined
}

/** Sets the generation after a comparison in steps. */
function* countLargeChange(next: TypedObject, old: TypedObject, isSame: Steps<boolean>): Steps<void> {
  setGeneration(next, old, !(yield* isSame))
}

const specOf = ({ spec }: WithSpec): unknown => spec

/** Sets the generation: 1 on create, incremented if `changed` is set. */
export function setGeneration({ metadata }: TypedObject, old: TypedObject | undefined, changed: boolean): void {
  if (!old) metadata.generation = 1
  else if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1
}
