import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { compareQuantity } from '../../../meta/quantity.ts'
import { storageClassOf } from '../storage-class.ts'

const sizeOf = (claim: KubeObject): string | undefined => claim.spec?.resources?.requests?.storage

/**
 * PersistentVolumeClaimResize: a claim grows only while it is bound, and only where its storage class allows it.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#persistentvolumeclaimresize
 */
export const persistentVolumeClaimResize = (findClass: (name: string) => Promise<KubeObject | undefined>): AdmissionPlugin => {
  const allowsGrowth = async (claim: KubeObject, old: KubeObject): Promise<boolean> => {
    const name = storageClassOf(claim)
    if (name === '' || storageClassOf(old) !== name) return false
    return (await findClass(name))?.allowVolumeExpansion === true
  }
  return {
    name: 'PersistentVolumeClaimResize',
    handles: request => request.operation === 'UPDATE' && isAbout(request, 'persistentvolumeclaims'),
    validate: async request => {
      const { object, old } = request
      if (!object || !old || compareQuantity(sizeOf(object), sizeOf(old)) <= 0) return
      if (old.status?.phase !== 'Bound') throw refuse(request, 'Only bound persistent volume claims can be expanded')
      if (await allowsGrowth(object, old)) return
      throw refuse(request, 'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize')
    },
  }
}
