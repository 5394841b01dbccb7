import { deepEqual } from '../../meta/equal.ts'
import type { TypedObject } from '../../meta/object.ts'

interface WithSpec extends TypedObject {
  spec?: unknown
}

/** For kinds without a status: the first generation is 1, and a changed spec makes a new one. */
export function prepareGeneration(next: WithSpec, old: WithSpec | undefined): void {
  setGeneration(next, old, old !== undefined && !deepEqual(next.spec, old.spec))
}

/** A new object has the first generation, and one that has changed the next. */
export function setGeneration({ metadata }: TypedObject, old: TypedObject | undefined, changed: boolean): void {
  if (!old) metadata.generation = 1
  else if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1
}
