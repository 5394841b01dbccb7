import type { TypedObject } from '../../api/meta/object.ts'
import type { Steps } from '../../lib/steps.ts'
import { deepEqualIfSmall, deepEqualInSteps } from '../../meta/equal.ts'

interface WithSpec extends TypedObject {
  spec?: unknown
}

interface WithStatus extends WithSpec {
  status?: unknown
}

/** Sets the generation of a kind without a status: 1 on create, incremented if the spec changes. */
export function prepareGeneration(next: WithSpec, old: WithSpec | undefined): Steps<void> | undefined {
  if (old) return countChange(next, old, deepEqualIfSmall(next.spec, old.spec))
  next.metadata.generation = 1
  return undefined
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

/** Increments the generation unless the spec is the same. `isSame`: undefined if the specs are large. They are then compared in steps, which are returned. */
export function countChange(next: WithSpec, old: WithSpec, isSame: boolean | undefined): Steps<void> | undefined {
  if (isSame === undefined) return countLargeChange(next, old)
  setGeneration(next, old, !isSame)
  return undefined
}

function* countLargeChange(next: WithSpec, old: WithSpec): Steps<void> {
  setGeneration(next, old, !(yield* deepEqualInSteps(next.spec, old.spec)))
}

/** Sets the generation: 1 on create, incremented if `changed` is set. */
export function setGeneration({ metadata }: TypedObject, old: TypedObject | undefined, changed: boolean): void {
  if (!old) metadata.generation = 1
  else if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1
}
