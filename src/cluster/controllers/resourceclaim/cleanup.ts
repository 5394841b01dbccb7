import type { ResourceClaim, ResourceClaimConsumerReference } from '../../../api/resource/v1beta2.types.ts'
import { ALLOCATED_FINALIZER } from '../../shared/device-claims.ts'

const isProtected = ({ metadata }: ResourceClaim): boolean => metadata.finalizers?.includes(ALLOCATED_FINALIZER) ?? false

/**
 * Returns a claim with a new status: consumers that are gone are removed, and with the last one the allocation.
 * Undefined if nothing changes.
 * @param kept consumers that exist
 */
export function releasedClaim(claim: ResourceClaim, kept: readonly ResourceClaimConsumerReference[]): ResourceClaim | undefined {
  const { reservedFor = [], allocation, ...status } = claim.status
  const isDeallocated =
    kept.length === 0 && isProtected(claim) && (reservedFor.length > 0 || claim.metadata.deletionTimestamp !== undefined)
  if (kept.length === reservedFor.length && !(isDeallocated && allocation)) return undefined
  return {
    ...claim,
    status: { ...status, ...(allocation && !isDeallocated && { allocation }), ...(kept.length > 0 && { reservedFor: [...kept] }) },
  }
}

/**
 * Returns a claim without the finalizer, once it has no allocation and no consumer. Undefined if nothing
 * changes. @param wasReleased whether the consumers were removed just now
 */
export function unprotectedClaim(claim: ResourceClaim, wasReleased: boolean): ResourceClaim | undefined {
  const isUnused = claim.status.allocation === undefined && (claim.status.reservedFor?.length ?? 0) === 0
  if (!isProtected(claim) || !isUnused || !(wasReleased || claim.metadata.deletionTimestamp !== undefined)) return undefined
  return {
    ...claim,
    metadata: { ...claim.metadata, finalizers: claim.metadata.finalizers?.filter(each => each !== ALLOCATED_FINALIZER) ?? [] },
  }
}
