import type { CSIDriver } from '../../../api/storage/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'

/** Sets defaults. An empty list of modes counts as unset. */
export function setCSIDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true
  spec.podInfoOnMount ??= false
  spec.storageCapacity ??= false
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent']
  spec.requiresRepublish ??= false
}

/** Sets the default of a field with a gate. Nothing is set while the gate is off. */
export function setGatedCSIDriverDefaults({ spec }: CSIDriver, features: Features): void {
  if (features.enabled('SELinuxMountReadWriteOncePod')) spec.seLinuxMount ??= false
}
