import { deepEqual } from '../../meta/equal.ts'
import type { KubeObject } from '../../meta/object.ts'

/** For kinds without a status: the first generation is 1, and a changed spec makes a new one. */
export function prepareGeneration(next: KubeObject, old: KubeObject | undefined): void {
  if (!old) next.metadata.generation = 1
  else if (!deepEqual(next.spec, old.spec)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
}
