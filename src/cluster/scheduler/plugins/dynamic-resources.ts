import type { Pod } from '../../../api/core/v1.types.ts'
import type { AllocationResult, DeviceClass, ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import type { GateName } from '../../../lifecycle/feature-gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { isReservedFor, MOST_CONSUMERS } from '../../shared/device-claims.ts'
import type { DeviceKinds } from '../../shared/device-kinds.ts'
import { matchesNodeSelector } from '../../shared/node-affinity.ts'
import { claimAllocationsOf } from '../devices/claim-allocations.ts'
import { claimRequests } from '../devices/claim-requests.ts'
import { type AllocationRules, type ClaimAllocation, type DeviceAllocator, deviceAllocator, NodeAllocationError } from '../devices/device-allocator.ts'
import { SearchTimeout } from '../devices/device-search.ts'
import { type DeviceMatcher, deviceMatcher } from '../devices/device-selectors.ts'
import { podDeviceClaims } from '../devices/pod-device-claims.ts'
import { alternativesScore } from '../devices/preferred-alternatives.ts'
import { type ClaimWriter, reserveClaims } from '../devices/reserve-claims.ts'
import { type BindingContext, normalizeByHighest, type Plugin, type PostFiltered, type PreFiltered, SKIP, type Status, unresolvable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { ClusterObjects } from '../snapshot.ts'

/** Name of the plugin. */
export const DYNAMIC_RESOURCES = 'DynamicResources'

const NO_CLAIMS: PostFiltered = { message: 'no new claims to deallocate' }
const STILL_UNSCHEDULABLE: PostFiltered = { message: 'still not schedulable' }

/** Allocates devices for the claims of a pod. Source: pkg/scheduler/framework/plugins/dynamicresources. */
export function dynamicResources(release: Release, enabled: (gate: GateName) => boolean, kinds: DeviceKinds): Plugin {
  const rules: AllocationRules = {
    countsOtherNodes: isSince(release, '1.35'),
    skipsUnusablePools: isSince(release, '1.35'),
    recordsTolerations: isSince(release, '1.35'),
    partitionable: enabled('DRAPartitionableDevices'),
    adminAccess: enabled('DRAAdminAccess'),
    prioritizedList: enabled('DRAPrioritizedList'),
    taints: enabled('DRADeviceTaints'),
    consumableCapacity: enabled('DRAConsumableCapacity'),
  }
  const matches = deviceMatcher(release)
  const writer: ClaimWriter = { kind: kinds.claims, recordsTime: enabled('DRADeviceBindingConditions') }
  const isScored = isSince(release, '1.35') && rules.prioritizedList
  // The filters of the pods in the current cycle.
  const results = new WeakMap<Pod, ResultOn>()
  return {
    name: DYNAMIC_RESOURCES,
    preEnqueue(pod, objects) {
      const found = podDeviceClaims(pod, objects)
      return 'problem' in found ? unresolvable(found.problem) : undefined
    },
    preFilter({ pod }, { objects }) {
      if (!pod.spec.resourceClaims?.length) return { status: SKIP }
      const rejected = (reason: string): PreFiltered => ({ status: unresolvable(reason), postFilter: () => NO_CLAIMS })
      const found = podDeviceClaims(pod, objects)
      if ('problem' in found) return rejected(found.problem)
      const { claims } = found
      if (claims.length === 0) return { status: SKIP, postFilter: () => NO_CLAIMS }
      const problem = problemOf(pod, claims, objects, rules)
      if (problem !== undefined) return rejected(problem)
      const { resultOn, ...prepared } = preparePod(pod, claims, objects, { rules, matches, writer })
      results.set(pod, resultOn)
      return prepared
    },
    preScore({ pod }) {
      const resultOn = isScored ? results.get(pod) : undefined
      if (resultOn === undefined || !pod.spec.resourceClaims?.length) return SKIP
      return {
        score(node) {
          const result = resultOn(node)
          return 'code' in result ? 0 : result.reduce((sum, { chosen }) => sum + alternativesScore(chosen), 0)
        },
        normalize: scores => normalizeByHighest(scores, false),
      }
    },
  }
}

/** Returns why no node can be chosen for a pod with the claims. Undefined if one may. */
function problemOf(
  pod: Pod,
  claims: readonly ResourceClaim[],
  objects: ClusterObjects,
  { prioritizedList, consumableCapacity }: AllocationRules,
): string | undefined {
  for (const claim of claims) {
    const { allocation, reservedFor = [] } = claim.status
    if (allocation) {
      if (reservedFor.length >= MOST_CONSUMERS && !isReservedFor(claim, pod)) return 'resourceclaim in use'
      continue
    }
    if (claimAllocationsOf(objects).isPending(claim)) return `resource claim ${objectKey(claim)} is in the process of being allocated`
    for (const { name, isPrioritized, alternatives } of claimRequests(claim)) {
      if (isPrioritized && !prioritizedList)
        return `claim ${objectKey(claim)}, request ${name}: has subrequests, but the DRAPrioritizedList feature is disabled`
      for (const { name: at, className, capacity } of alternatives) {
        if (capacity !== undefined && consumableCapacity) return `request ${at}: has capacity requests, which this scheduler does not allocate`
        if (className === '') throw new Error(`request ${at}: unsupported request type`)
        if (objects.get('DeviceClass', '', className) === undefined) return `request ${at}: device class ${className} does not exist`
      }
    }
  }
  return undefined
}

interface DeviceRules {
  readonly rules: AllocationRules
  readonly matches: DeviceMatcher
  readonly writer: ClaimWriter
}

/** Returns the allocations of a pod's claims on a node, or why there are none. */
type ResultOn = (node: NodeInfo) => readonly ClaimAllocation[] | Status

/** Returns the filter of a pod, and the reservation of a node. */
function preparePod(
  pod: Pod,
  claims: readonly ResourceClaim[],
  objects: ClusterObjects,
  { rules, matches, writer }: DeviceRules,
): PreFiltered & { readonly resultOn: ResultOn } {
  const unallocated = claims.filter(({ status }) => status.allocation === undefined)
  const state = {
    slices: objects.list<ResourceSlice>('ResourceSlice'),
    allocated: claimAllocationsOf(objects).allocatedDevices(objects),
    classOf: (name: string) => objects.get<DeviceClass>('DeviceClass', '', name),
  }
  const resultOn: ResultOn = unallocated.length > 0 ? resultByNode(deviceAllocator(unallocated, state, rules, matches)) : () => []
  const unavailable = new Set<ResourceClaim>()
  return {
    resultOn,
    filter: {
      check(node) {
        const elsewhere = claims.filter(claim => !isAvailable(claim, node))
        const result = resultOn(node)
        if ('code' in result) return result
        for (const claim of elsewhere) unavailable.add(claim)
        return elsewhere.length > 0 ? unresolvable('resourceclaim not available on the node') : undefined
      },
    },
    reserve(node) {
      const result = resultOn(node)
      if ('code' in result) return result
      const results = new Map<string, AllocationResult>()
      for (const [i, { metadata }] of unallocated.entries()) {
        const allocation = result[i]?.result
        if (allocation) results.set(metadata.uid ?? '', allocation)
      }
      return reserveClaims(pod, claims, results, claimAllocationsOf(objects), writer)
    },
    postFilter: () => deallocate(pod, unavailable, writer),
  }
}

/** Reports whether a node can reach the devices of a claim, if it has some. */
function isAvailable({ status }: ResourceClaim, { node }: NodeInfo): boolean {
  const selector = status.allocation?.nodeSelector
  return selector === undefined || matchesNodeSelector(selector, node)
}

/** Allocates once for each node. */
function resultByNode(allocate: DeviceAllocator): ResultOn {
  const known = new Map<string, readonly ClaimAllocation[] | Status>()
  return node => {
    const before = known.get(node.name)
    if (before) return before
    const result = allocated(allocate, node)
    known.set(node.name, result)
    return result
  }
}

function allocated(allocate: DeviceAllocator, { node }: NodeInfo): readonly ClaimAllocation[] | Status {
  try {
    return allocate(node) ?? unresolvable('cannot allocate all claims')
  } catch (error) {
    if (error instanceof SearchTimeout || error instanceof NodeAllocationError) return unresolvable(error.message)
    throw error
  }
}

/** Releases a claim that is allocated on other nodes, and that no other pod uses. Source: PostFilter. */
function deallocate(pod: Pod, unavailable: ReadonlySet<ResourceClaim>, { kind }: ClaimWriter): PostFiltered {
  const unused = [...unavailable].find(({ status: { reservedFor = [] } }) => reservedFor.every(({ uid }) => uid === pod.metadata.uid))
  if (unused === undefined) return STILL_UNSCHEDULABLE
  const { allocation: _, reservedFor: __, devices: ___, ...status } = unused.status
  return {
    message: 'deallocation of ResourceClaim completed',
    write: async ({ client }: BindingContext) => void (await client.update(kind, { ...unused, status }, 'status')),
  }
}
