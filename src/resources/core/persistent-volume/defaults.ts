import type { KubeObject } from '../../../meta/object.ts'
import { roundResources } from '../resource-list.ts'

export function setPersistentVolumeDefaults(volume: KubeObject): void {
  volume.spec ??= {}
  const { spec } = volume
  volume.status ??= {}
  volume.status.phase ??= 'Pending'
  spec.persistentVolumeReclaimPolicy ??= 'Retain'
  spec.volumeMode ??= 'Filesystem'
  if (spec.hostPath) spec.hostPath.type ??= ''
  roundResources(spec.capacity)
}
