import type { KubeObject } from '../../../meta/object.ts'

export function setCSIDriverDefaults(driver: KubeObject): void {
  driver.spec ??= {}
  const { spec } = driver
  spec.attachRequired ??= true
  spec.podInfoOnMount ??= false
  spec.storageCapacity ??= false
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent']
  spec.requiresRepublish ??= false
  spec.seLinuxMount ??= false
}
