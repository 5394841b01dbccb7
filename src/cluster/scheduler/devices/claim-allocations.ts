import type { Pod } from '../../../api/core/v1.types.ts'
import type { AllocationResult, ResourceClaim } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import type { Quantity } from '../../../meta/quantity.ts'
import { groupOf } from '../groups/pod-group.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { deviceId } from './offered-devices.ts'
import { type AllocatedDevices, addAmounts } from './shared-capacities.ts'

/** An allocation that is not written yet. */
interface PendingAllocation {
  /** The claim as it will be once the allocation is written. */
  readonly claim: ResourceClaim
  /** Uids of the pods for which it is made. */
  readonly pods: Set<string>
  /** Key of the group of those pods. Undefined if the first one has none. */
  readonly group: string | undefined
  /** Settles when the last write has ended. */
  lastWrite: Promise<unknown>
  /** The claim as it was written last. */
  written: ResourceClaim | undefined
}

/**
 * Allocations of claims that the scheduler makes. They count from the choice of the node on, before they are written
 * and observed. The pods of a group share the allocation of a claim.
 */
export class ClaimAllocations {
  /** Allocations by uid of the claim. */
  readonly #pending = new Map<string, PendingAllocation>()
  /** Claims by key, as they were written last. */
  readonly #written = new Map<string, ResourceClaim>()

  /** Begins the allocation of a claim for a pod, or shares one that has begun. @param claim with its allocation */
  begin(claim: ResourceClaim, pod: Pod): void {
    const { uid = '' } = claim.metadata
    const known = this.#pending.get(uid)
    const made: PendingAllocation = {
      claim,
      pods: new Set(),
      group: groupOf(pod)?.key,
      lastWrite: Promise.resolve(),
      written: undefined,
    }
    const pending = known ?? made
    pending.pods.add(pod.metadata.uid ?? '')
    this.#pending.set(uid, pending)
  }

  /** Ends the allocation of a claim for a pod: it was written or given up. */
  end({ metadata: { uid = '' } }: ResourceClaim, pod: Pod): void {
    const pending = this.#pending.get(uid)
    pending?.pods.delete(pod.metadata.uid ?? '')
    if (pending?.pods.size === 0) this.#pending.delete(uid)
  }

  /** Returns the allocation of a claim that has begun for other pods of a pod's group. */
  sharedWith(pod: Pod, { metadata }: ResourceClaim): AllocationResult | undefined {
    const pending = this.#pending.get(metadata.uid ?? '')
    const group = groupOf(pod)
    return group !== undefined && pending?.group === group.key ? pending.claim.status.allocation : undefined
  }

  /**
   * Writes the allocation of a claim, after earlier writes for other pods. @param write returns what it has written;
   * `written` is what an earlier one has written
   */
  async write(claim: ResourceClaim, write: (written: ResourceClaim | undefined) => Promise<ResourceClaim>): Promise<ResourceClaim> {
    const pending = this.#pending.get(claim.metadata.uid ?? '')
    const writing = (pending?.lastWrite ?? Promise.resolve()).then(async () => {
      const written = await write(pending?.written)
      if (pending) pending.written = written
      this.wrote(written)
      return written
    })
    if (pending) pending.lastWrite = writing.catch(() => {})
    return await writing
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
    for (const { claim } of this.#pending.values()) add(claim)
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
