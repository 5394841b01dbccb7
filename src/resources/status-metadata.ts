import type { KubeObject } from '../meta/object.ts'

const KEPT = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** Paths that a write of the status of a kind may not own, whose status strategy keeps spec and metadata. */
export const SPEC_AND_METADATA_FIELDS: readonly (readonly string[])[] = [['spec'], ['metadata']]

/** For a write of the status that leaves metadata as it was, as metav1.ResetObjectMetaForStatus does. The values are shared with the old object. */
export function keepMetadata({ metadata: next }: KubeObject, { metadata: old }: KubeObject): void {
  for (const member of KEPT) {
    if (old[member] === undefined) delete next[member]
    else Object.assign(next, { [member]: old[member] })
  }
}
