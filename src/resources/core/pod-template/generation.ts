import { deepEqual } from '../../../meta/equal.ts'
import type { KubeObject } from '../../../meta/object.ts'

/** A change of the template is a new generation. */
export function bumpTemplateGeneration(next: KubeObject, old: KubeObject | undefined): void {
  if (!old) next.metadata.generation = 1
  else if (!deepEqual(next.template, old.template)) next.metadata.generation = (old.metadata.generation ?? 0) + 1
}
