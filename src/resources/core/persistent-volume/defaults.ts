import type { PersistentVolume } from '../../../api/core/v1.types.ts'
import { roundResources } from '../resource-list.ts'
import { defaultSources } from '../volume/source-defaults.ts'

export function setPersistentVolumeDefaults(volume: PersistentVolume): void {
  const { spec, status } = volume
  status.phase ??= 'Pending'
  spec.persistentVolumeReclaimPolicy ??= 'Retain'
  spec.volumeMode ??= 'Filesystem'
  if (spec.hostPath) spec.hostPath.type ??= ''
  defaultSources(spec)
  roundResources(spec.capacity)
}
