import type { AllocationResult, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import type { Quantity } from '../../../meta/quantity.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { deviceId } from './offered-devices.ts'
import { type AllocatedDevices, addAmounts } from './shared-capacities.ts'

/**
 * Allocations of claims that the scheduler makes. They count from the choice of the node on, before they are written
 * and observed.
 */
export class ClaimAllocations {
  /** Claims by uid, as they will be once their allocation is written. */
  readonly #pending = new Map<string, ResourceClaim>()
  /** Claims by key, as they were written last. */
  readonly #written = new Map<string, ResourceClaim>()

  /** Begins the allocation of a claim. @param claim with its allocation */
  begin(claim: ResourceClaim): void {
    this.#pending.set(claim.metadata.uid ?? '', claim)
  }

  /** Ends the allocation of a claim: it was written or given up. */
  end({ metadata }: ResourceClaim): void {
    this.#pending.delete(metadata.uid ?? '')
  }

  /** Reports whether the allocation of a claim is not written yet. */
  isPending({ metadata }: ResourceClaim): boolean {
    return this.#pending.has(metadata.uid ?? '')
  }

  /** Records what was written. It counts until it is observed. */
  wrote(claim: ResourceClaim): void {
    this.#written.set(objectKey(claim), claim)
  }

  /** Returns the latest state of an observed claim. */
  latest(claim: ResourceClaim): ResourceClaim {
    if (this.#written.size === 0) return claim
    const key = objectKey(claim)
    const written = this.#written.get(key)
    if (written === undefined) return claim
    if (written.metadata.uid === claim.metadata.uid && versionOf(written) > versionOf(claim)) return written
    this.#written.delete(key)
    return claim
  }

  /** Returns the devices that are in use. Access by administrators does not count. */
  allocatedDevices(objects: ClusterObjects): AllocatedDevices {
    const exclusive = new Set<string>()
    const shared = new Map<string, Map<string, Quantity>>()
    const add = ({ status }: ResourceClaim): void => {
      if (status.allocation === undefined) return
      for (const { id, consumed } of deviceUses(status.allocation))
        if (consumed === undefined) exclusive.add(id)
        else addAmounts(shared, id, consumed)
    }
    const keys = new Set<string>()
    for (const claim of objects.list<ResourceClaim>('ResourceClaim')) {
      if (this.#written.size > 0) keys.add(objectKey(claim))
      if (!this.isPending(claim)) add(this.latest(claim))
    }
    for (const key of this.#written.keys()) if (!keys.has(key)) this.#written.delete(key)
    for (const claim of this.#pending.values()) add(claim)
    return { exclusive, shared }
  }
}

/** Use of a device. `consumed`: capacities that are consumed of a device that others may use, too. */
interface DeviceUse {
  readonly id: string
  readonly consumed: Readonly<Record<string, string>> | undefined
}

const uses = new WeakMap<AllocationResult, readonly DeviceUse[]>()

/**
 * Returns the devices of an allocation without those that administrators access. Kept as long as the allocation, which
 * must not change.
 */
function deviceUses(allocation: AllocationResult): readonly DeviceUse[] {
  const known = uses.get(allocation)
  if (known) return known
  const found = (allocation.devices?.results ?? []).flatMap(({ driver, pool, device, adminAccess, shareID, consumedCapacity }) =>
    adminAccess ? [] : [{ id: deviceId(driver, pool, device), consumed: shareID === undefined ? undefined : (consumedCapacity ?? {}) }],
  )
  uses.set(allocation, found)
  return found
}

const versionOf = ({ metadata }: ResourceClaim): bigint => BigInt(metadata.resourceVersion || '0')

const allocations = new WeakMap<ClusterObjects, ClaimAllocations>()

/** Returns the allocations of the scheduler that reads the objects. All its profiles share them. */
export function claimAllocationsOf(objects: ClusterObjects): ClaimAllocations {
  const known = allocations.get(objects)
  if (known) return known
  const made = new ClaimAllocations()
  allocations.set(objects, made)
  return made
}
