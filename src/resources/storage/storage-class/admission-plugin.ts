import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout } from '../../../admission/refuse.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import { asKind } from '../../../catalog/define.ts'
import type { Awaitable } from '../../../lib/awaitable.ts'
import { ownMember } from '../../../meta/equal.ts'
import { CLASS_ANNOTATION } from '../../core/storage-class.ts'
import { CLAIMS } from '../../kinds.ts'
import { youngestName } from '../../shared/youngest.ts'
import { isDefaultClass } from './default-class.ts'

/**
 * DefaultStorageClass sets the default class on new claims that have no class field, not even an empty one, if there is
 * a default class. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaultstorageclass
 */
export const defaultStorageClass = (listClasses: () => Awaitable<readonly TypedObject[]>): AdmissionPlugin => ({
  name: 'DefaultStorageClass',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'persistentvolumeclaims'),
  mutate: async ({ object }) => {
    if (!object) return object
    const { spec, metadata } = asKind(CLAIMS, object)
    if (spec.storageClassName !== undefined || ownMember(metadata.annotations, CLASS_ANNOTATION) !== undefined) return object
    const name = youngestName((await listClasses()).filter(isDefaultClass))
    if (name !== undefined) spec.storageClassName = name
    return object
  },
})
