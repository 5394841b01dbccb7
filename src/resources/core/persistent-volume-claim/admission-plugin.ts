import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { PersistentVolumeClaim } from '../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import type { StorageClass } from '../../../api/storage/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import type { Awaitable } from '../../../lib/awaitable.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { CLAIMS } from '../../kinds.ts'
import { storageClassOf } from '../storage-class.ts'

const requestedStorage = (claim: PersistentVolumeClaim): string | undefined => claim.spec.resources.requests?.storage

/**
 * PersistentVolumeClaimResize allows a claim to grow only if it is bound and its storage class allows expansion.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#persistentvolumeclaimresize
 */
export const persistentVolumeClaimResize = (
  findClass: (name: string) => Awaitable<(TypedObject & Pick<StorageClass, 'allowVolumeExpansion'>) | undefined>,
): AdmissionPlugin => {
  /** Returns false for a claim without a class, and for one whose class changes together with its size. */
  const allowsGrowth = async (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): Promise<boolean> => {
    const name = storageClassOf(claim)
    if (name === '' || storageClassOf(old) !== name) return false
    return (await findClass(name))?.allowVolumeExpansion === true
  }
  return {
    name: 'PersistentVolumeClaimResize',
    handles: request => request.operation === 'UPDATE' && isAbout(request, 'persistentvolumeclaims'),
    validate: async request => {
      if (!request.object || !request.old) return
      const claim = asKind(CLAIMS, request.object)
      const old = asKind(CLAIMS, request.old)
      // Validation checks whether the size may shrink.
      if (compareQuantity(requestedStorage(claim), requestedStorage(old)) <= 0) return
      if (old.status.phase !== 'Bound') throw refuse(request, 'Only bound persistent volume claims can be expanded')
      if (await allowsGrowth(claim, old)) return
      throw refuse(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    },
  }
}
