import { deepEqual } from '../../meta/equal.ts'
import type { TypedObject } from '../../meta/object.ts'

interface WithSpec extends TypedObject {
  spec?: unknown
}

/** For kinds without a status: the first generation is 1, and a changed spec makes a new one. */
export function prepareGeneration(next: WithSpec, old: WithSpec | undefined): void {
  if (!old) next.metadata.generation = 1
  else if (!deepEqual(next.spec, old.spec)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
}
