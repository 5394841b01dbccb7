import type { AllocatedDeviceStatus, DeviceRequestAllocationResult, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { timeMillis } from '../../../meta/time.ts'

/** State of a claim whose devices are prepared after they are allocated. */
export type BindingState = 'ready' | 'pending' | { readonly failure: string }

/**
 * Returns whether the drivers have prepared the devices of an allocated claim. Devices without conditions of binding
 * are ready. Source: isClaimReadyForBinding.
 */
export function bindingState({ metadata, status }: ResourceClaim): BindingState {
  if (status.allocation === undefined) return 'pending'
  for (const result of status.allocation.devices?.results ?? []) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result
    if (bindingConditions.length === 0) continue
    const conditions = deviceStatus(result, status.devices)?.conditions
    if (!conditions) return 'pending'
    const isTrue = (type: string) => conditions.find(each => each.type === type && each.status === 'True')
    const failed = bindingFailureConditions.map(isTrue).find(each => each !== undefined)
    if (failed)
      return { failure: `claim ${metadata.name} binding failed: reason=${failed.reason}, message=${JSON.stringify(failed.message)}` }
    if (!bindingConditions.every(isTrue)) return 'pending'
  }
  return 'ready'
}

const deviceStatus = (
  { driver, pool, device }: DeviceRequestAllocationResult,
  devices: readonly AllocatedDeviceStatus[] = [],
): AllocatedDeviceStatus | undefined => devices.find(each => each.driver === driver && each.pool === pool && each.device === device)

/** Reports whether drivers have to prepare devices of a claim. */
export const hasBindingConditions = ({ status }: ResourceClaim): boolean =>
  status.allocation?.devices?.results?.some(({ bindingConditions }) => (bindingConditions?.length ?? 0) > 0) ?? false

/** Reports whether drivers have had too much time to prepare the devices of a claim. @param now in milliseconds */
export function isBindingOverdue(claim: ResourceClaim, now: number, timeoutMs: number): boolean {
  const { allocationTimestamp } = claim.status.allocation ?? {}
  if (!allocationTimestamp || !hasBindingConditions(claim)) return false
  return (timeMillis(allocationTimestamp) ?? now) + timeoutMs < now
}
