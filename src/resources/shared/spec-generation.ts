import { deepEqual } from '../../meta/equal.ts'
import type { TypedObject } from '../../meta/object.ts'

interface WithSpec extends TypedObject {
  spec?: unknown
}

/** Sets the generation of a kind without a status: 1 on create, incremented if the spec changes. */
export function prepareGeneration(next: WithSpec, old: WithSpec | undefined): void {
  setGeneration(next, old, old !== undefined && !deepEqual(next.spec, old.spec))
}

/** Sets the generation: 1 on create, incremented if `changed` is set. */
export function setGeneration({ metadata }: TypedObject, old: TypedObject | undefined, changed: boolean): void {
  if (!old) metadata.generation = 1
  else if (changed) metadata.generation = (old.metadata.generation ?? 0) + 1
}
