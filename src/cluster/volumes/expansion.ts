import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from '../../api/core/v1.types.ts'
import { compareQuantity } from '../../meta/quantity.ts'
import { formatTime } from '../../meta/time.ts'
import { requestedStorage } from '../shared/volumes.ts'
import { SIMULATED_DRIVER } from './default-objects.ts'

const RESIZING = 'Resizing'
/** Conditions of a claim whose volume is growing. */
const RESIZE_CONDITIONS: readonly string[] = [RESIZING, 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']

/** Reports whether a claim requests more than the capacity of its volume of this driver. */
export const isToExpand = (claim: PersistentVolumeClaim, volume: PersistentVolume | undefined): boolean =>
  claim.status.phase === 'Bound' &&
  claim.metadata.deletionTimestamp === undefined &&
  volume?.spec.csi?.driver === SIMULATED_DRIVER &&
  volume.spec.claimRef?.uid === claim.metadata.uid &&
  compareQuantity(requestedStorage(claim), claim.status.capacity?.storage) > 0

/**
 * Returns the status of a claim while its volume grows. @param tracksAllocation whether the size that is being
 * allocated is reported, as gate RecoverVolumeExpansionFailure says
 */
export function resizingStatus(claim: PersistentVolumeClaim, tracksAllocation: boolean, now: number): PersistentVolumeClaimStatus {
  const { conditions = [], ...status } = claim.status
  const condition = { type: RESIZING, status: 'True', lastProbeTime: null, lastTransitionTime: formatTime(now) }
  return {
    ...status,
    conditions: [...conditions.filter(({ type }) => !RESIZE_CONDITIONS.includes(type)), condition],
    ...(tracksAllocation && {
      allocatedResources: { ...status.allocatedResources, storage: requestedStorage(claim) ?? '0' },
      allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: 'ControllerResizeInProgress' },
    }),
  }
}

/** Returns the status of a claim whose volume has grown to a size. */
export function resizedStatus(
  { status: { conditions = [], allocatedResourceStatuses, ...status } }: PersistentVolumeClaim,
  size: string,
): PersistentVolumeClaimStatus {
  const others = conditions.filter(({ type }) => !RESIZE_CONDITIONS.includes(type))
  const { storage: _, ...statuses } = allocatedResourceStatuses ?? {}
  return {
    ...status,
    capacity: { ...status.capacity, storage: size },
    ...(others.length > 0 && { conditions: others }),
    ...(Object.keys(statuses).length > 0 && { allocatedResourceStatuses: statuses }),
  }
}
