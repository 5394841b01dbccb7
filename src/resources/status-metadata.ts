import type { Strategy } from '../catalog/definition.ts'
import type { KubeObject } from '../meta/object.ts'
import { keepMembers } from './strategy-parts.ts'

const KEPT = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

const SPEC_AND_METADATA_FIELDS: readonly (readonly string[])[] = [['spec'], ['metadata']]

/** For a write of the status that leaves metadata as it was, as metav1.ResetObjectMetaForStatus does. The values are shared with the old object. */
export function keepMetadata({ metadata: next }: KubeObject, { metadata: old }: KubeObject): void {
  for (const member of KEPT) {
    if (old[member] === undefined) delete next[member]
    else Object.assign(next, { [member]: old[member] })
  }
}

/** Of a status that is written without spec and metadata. */
export const statusAloneStrategy = (validate: NonNullable<Strategy['validate']>): Strategy => ({
  revalidatesMeta: false,
  resetFields: SPEC_AND_METADATA_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
  },
  validate,
})

/** For kinds with a status and without generations: nobody sets the status but through its subresource. */
export function withholdStatus(next: KubeObject, old: KubeObject | undefined): void {
  if (old) keepMembers(next, old, 'status')
  else next.status = {}
}
