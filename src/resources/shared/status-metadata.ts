import type { Strategy } from '../../catalog/definition.ts'
import type { TypedObject } from '../../meta/object.ts'
import { keepMembers } from './strategy-parts.ts'

interface WithStatus extends TypedObject {
  spec?: unknown
  status?: unknown
}

const KEPT = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

const SPEC_AND_METADATA_FIELDS: readonly (readonly string[])[] = [['spec'], ['metadata']]

/** For a write of the status that leaves metadata as it was, as metav1.ResetObjectMetaForStatus does. The values are shared with the old object. */
export const keepMetadata = ({ metadata: next }: TypedObject, { metadata: old }: TypedObject): void => keepMembers(next, old, ...KEPT)

/** Of a status that is written without spec and metadata. */
export const statusAloneStrategy = <T extends WithStatus>(own: Pick<Strategy<T>, 'validate' | 'allowUnconditionalUpdate'>): Strategy<T> => ({
  resetFields: SPEC_AND_METADATA_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
  },
  ...own,
})

/** For kinds with a status and without generations: nobody sets the status but through its subresource. */
export function withholdStatus<T extends WithStatus>(next: T, old: T | undefined, emptyStatus: T['status'] = {}): void {
  if (old) keepMembers(next, old, 'status')
  else next.status = emptyStatus
}
