import type { TypedObject } from '../../api/meta/object.ts'
import type { Strategy } from '../../catalog/strategy.ts'
import { keepMembers } from './strategy-parts.ts'

/** Object whose spec and status are not looked into. */
interface WithStatus extends TypedObject {
  spec?: unknown
  status?: unknown
}

/** Metadata that a write of the status does not change. */
const KEPT = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** Paths that server-side apply of the status does not own, because the write resets them. */
const SPEC_AND_METADATA_FIELDS: readonly (readonly string[])[] = [['spec'], ['metadata']]

/**
 * Restores metadata on a write of the status, like metav1.ResetObjectMetaForStatus. Values are shared with the old
 * object.
 */
export const keepMetadata = ({ metadata: next }: TypedObject, { metadata: old }: TypedObject): void => keepMembers(next, old, ...KEPT)

/** Strategy of a status whose writes keep spec and metadata. */
export const statusAloneStrategy = <T extends WithStatus>(
  own: Pick<Strategy<T>, 'validate' | 'allowUnconditionalUpdate'>,
): Strategy<T> => ({
  resetFields: SPEC_AND_METADATA_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
  },
  ...own,
})

/**
 * Keeps the status on writes of the resource itself, for kinds without generations. Only the subresource may set it.
 */
export function withholdStatus<T extends WithStatus>(next: T, old: T | undefined, emptyStatus: T['status'] = {}): void {
  if (old) keepMembers(next, old, 'status')
  else next.status = emptyStatus
}
