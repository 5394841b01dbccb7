import type { AdmissionPlugin } from '../../admission/chain.ts'
import { isAbout } from '../../admission/refuse.ts'
import type { GateName } from '../../lifecycle/feature-gates.ts'
import type { Features } from '../../lifecycle/gates.ts'

/** A kind whose deleted objects are kept by a finalizer while other objects use them. */
export interface ProtectedKind {
  /** The resource, in the form that `isAbout` takes. */
  readonly resource: string
  /** Finalizer that new objects receive. */
  readonly finalizer: string
  /** Optional. Feature gate without which the kind is not protected. */
  readonly gate?: GateName
}

/** Claims stay while a pod uses them. */
export const PROTECTED_CLAIMS: ProtectedKind = { resource: 'persistentvolumeclaims', finalizer: 'kubernetes.io/pvc-protection' }
/** Volumes stay while they are bound to a claim. */
export const PROTECTED_VOLUMES: ProtectedKind = { resource: 'persistentvolumes', finalizer: 'kubernetes.io/pv-protection' }
/** Classes stay while a claim or volume refers to them. */
export const PROTECTED_ATTRIBUTES: ProtectedKind = {
  resource: 'volumeattributesclasses.storage.k8s.io',
  finalizer: 'kubernetes.io/vac-protection',
  gate: 'VolumeAttributesClass',
}

/** Kinds that the admission plugin handles. */
const PROTECTED = [PROTECTED_CLAIMS, PROTECTED_VOLUMES, PROTECTED_ATTRIBUTES]

/**
 * StorageObjectInUseProtection adds a finalizer to new claims, volumes and volume attributes classes. A controller
 * removes it once the object is deleted and no longer in use.
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
export const storageObjectInUseProtection = (features: Features): AdmissionPlugin => {
  const kinds = PROTECTED.filter(({ gate }) => gate === undefined || features.enabled(gate))
  return {
    name: 'StorageObjectInUseProtection',
    handles: request => request.operation === 'CREATE' && kinds.some(({ resource }) => isAbout(request, resource)),
    mutate: async request => {
      const finalizer = kinds.find(({ resource }) => isAbout(request, resource))?.finalizer
      const metadata = request.object?.metadata
      if (finalizer !== undefined && metadata && !metadata.finalizers?.includes(finalizer))
        metadata.finalizers = [...(metadata.finalizers ?? []), finalizer]
      return request.object
    },
  }
}
