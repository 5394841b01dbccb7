import type { NodeAllocatableResourceClaimStatus, Pod } from '../../../api/core/v1.types.ts'
import type {
  AllocationResult,
  Device,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceSlice,
} from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { addParsed, multiplyQuantities, parseQuantity, type Quantity } from '../../../meta/quantity.ts'
import { claimReference } from '../../shared/device-claims.ts'
import { latestSlices, poolKey } from '../../shared/published-devices.ts'

/** An allocation of devices for a claim. */
export interface AllocatedDevices {
  readonly claim: ResourceClaim
  readonly result: AllocationResult
}

/** Returns a device that takes resources of its node. Undefined if it takes none, or does not exist. */
export type FindDevice = (result: Pick<DeviceRequestAllocationResult, 'driver' | 'pool' | 'device'>) => Device | undefined

const takes = ({ nodeAllocatableResources, nodeAllocatableResourceMappings }: Device): boolean =>
  nodeAllocatableResources !== undefined || nodeAllocatableResourceMappings !== undefined

const indexes = new WeakMap<readonly ResourceSlice[], FindDevice>()

/** Returns a function that finds devices which take resources of their node. The list of slices must not change. */
export function findTakingDevice(slices: readonly ResourceSlice[]): FindDevice {
  const known = indexes.get(slices)
  if (known) return known
  const pools = new Map<string, ResourceSlice[]>()
  for (const slice of slices) {
    const key = poolKey(slice.spec.driver, slice.spec.pool.name)
    const pool = pools.get(key)
    if (pool) pool.push(slice)
    else pools.set(key, [slice])
  }
  const find: FindDevice = ({ driver, pool, device }) => {
    for (const { spec } of latestSlices(pools.get(poolKey(driver, pool)) ?? [])) {
      const found = spec.devices?.find(({ name }) => name === device)
      if (found) return takes(found) ? found : undefined
    }
    return undefined
  }
  indexes.set(slices, find)
  return find
}

/** Whether an allocation has a device that stands for resources of its node, so that pods cannot share it. */
export const hasMappedDevice = ({ devices }: AllocationResult, find: FindDevice): boolean =>
  (devices.results ?? []).some(result => {
    const { nodeAllocatableResources = {}, nodeAllocatableResourceMappings } = find(result) ?? {}
    return nodeAllocatableResourceMappings !== undefined || Object.values(nodeAllocatableResources).some(({ mapping }) => mapping)
  })

/** Sums of a claim, by resource. */
interface ClaimSums {
  /** Amounts that devices stand for. */
  readonly mapped: Map<string, Quantity>
  readonly perPod: Map<string, Quantity>
  readonly perContainer: Map<string, Quantity>
}

/**
 * Returns the resources of a node that the devices of a pod's claims take, as the status of the pod has them. Throws an
 * Error if a device depends on a capacity that the allocation does not have. Source: buildNodeAllocatableDRAInfo.
 */
export function claimResources(pod: Pod, allocations: readonly AllocatedDevices[], find: FindDevice): NodeAllocatableResourceClaimStatus[] {
  const statuses = allocations.flatMap(({ claim, result }) => {
    const sums: ClaimSums = { mapped: new Map(), perPod: new Map(), perContainer: new Map() }
    let isOfRelease136 = false
    for (const each of result.devices.results ?? []) {
      const device = find(each)
      if (device === undefined) continue
      if (device.nodeAllocatableResourceMappings) isOfRelease136 = true
      addDevice(sums, device, each, claim)
    }
    if (sums.mapped.size + sums.perPod.size + sums.perContainer.size === 0) return []
    const { name = '' } = claim.metadata
    const containers = containersOf(pod, name)
    const mapping = [...sums.mapped].sort(byName).map(([resource, { canonical }]) => ({ name: resource, quantity: canonical }))
    if (isOfRelease136)
      return [{ resourceClaimName: name, containers, resources: Object.fromEntries(mapping.map(each => [each.name, each.quantity])) }]
    const overhead = [...new Set([...sums.perPod.keys(), ...sums.perContainer.keys()])].sort().map(resource => {
      const [perPod, perContainer] = [sums.perPod.get(resource), sums.perContainer.get(resource)]
      return { name: resource, ...(perPod && { perPod: perPod.canonical }), ...(perContainer && { perContainer: perContainer.canonical }) }
    })
    const status = {
      resourceClaimName: name,
      ...(containers.length > 0 && { containers }),
      ...(mapping.length > 0 && { mapping }),
      ...(overhead.length > 0 && { overhead }),
    }
    return [status as NodeAllocatableResourceClaimStatus]
  })
  return statuses.sort((a, b) => compareText(a.resourceClaimName, b.resourceClaimName))
}

const byName = ([a]: [string, Quantity], [b]: [string, Quantity]): number => compareText(a, b)

function addDevice(sums: ClaimSums, device: Device, result: DeviceRequestAllocationResult, claim: ResourceClaim): void {
  for (const [resource, { capacityKey, allocationMultiplier }] of Object.entries(device.nodeAllocatableResourceMappings ?? {})) {
    const field = `NodeAllocatableResourceMappings for resource ${resource}`
    addQuantity(sums.mapped, resource, mappedAmount(capacityKey, allocationMultiplier, allocationMultiplier, { result, claim, field }))
  }
  for (const [resource, { mapping, overhead }] of Object.entries(device.nodeAllocatableResources ?? {})) {
    const field = `NodeAllocatableResources for resource ${resource}`
    if (mapping) {
      const { capacityKey, capacityMultiplier, deviceMultiplier } = mapping
      addQuantity(sums.mapped, resource, mappedAmount(capacityKey, capacityMultiplier, deviceMultiplier, { result, claim, field }))
    }
    if (overhead?.perPod !== undefined) addQuantity(sums.perPod, resource, parseQuantity(overhead.perPod))
    if (overhead?.perContainer !== undefined) addQuantity(sums.perContainer, resource, parseQuantity(overhead.perContainer))
  }
}

/** Returns the amount that a device stands for. Undefined if the allocation does not have its capacity. */
function mappedAmount(
  capacityKey: string | undefined,
  perCapacity: string | undefined,
  perDevice: string | undefined,
  { result, claim, field }: { readonly result: DeviceRequestAllocationResult; readonly claim: ResourceClaim; readonly field: string },
): Quantity | undefined {
  if (!capacityKey) return perDevice === undefined ? undefined : parseQuantity(perDevice)
  const { consumedCapacity, driver, device } = result
  if (consumedCapacity === undefined)
    throw new Error(
      `claim ${objectKey(claim)}, device ${device}: ConsumedCapacity is nil, but Capacity key '${capacityKey}' is set in ${field}`,
    )
  const bare = capacityKey.startsWith(`${driver}/`) ? capacityKey.slice(driver.length + 1) : capacityKey
  const consumed = consumedCapacity[capacityKey] ?? consumedCapacity[bare] ?? consumedCapacity[`${driver}/${bare}`]
  if (consumed === undefined) return undefined
  return perCapacity === undefined ? parseQuantity(consumed) : multiplyQuantities(parseQuantity(consumed), parseQuantity(perCapacity))
}

function addQuantity(sums: Map<string, Quantity>, name: string, amount: Quantity | undefined): void {
  if (amount === undefined) return
  const before = sums.get(name)
  sums.set(name, before ? addParsed(before, amount, false) : amount)
}

/** Returns the names of the containers that use a claim. */
function containersOf(pod: Pod, claim: string): string[] {
  const names = new Set((pod.spec.resourceClaims ?? []).filter(each => claimReference(pod, each).name === claim).map(({ name }) => name))
  return [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])].flatMap(({ name, resources }) =>
    resources?.claims?.some(each => names.has(each.name)) ? [name] : [],
  )
}
