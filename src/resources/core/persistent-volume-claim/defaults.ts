import type { PersistentVolumeClaim } from '../../../api/core/v1.types.ts'
import { roundResources } from '../resource-list.ts'

export function setClaimDefaults(claim: PersistentVolumeClaim): void {
  const { spec, status } = claim
  status.phase ??= 'Pending'
  spec.volumeMode ??= 'Filesystem'
  roundResources(spec.resources.requests)
  roundResources(spec.resources.limits)
  roundResources(status.capacity)
  roundResources(status.allocatedResources)
}
