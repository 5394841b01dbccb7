import type { ContainerExtendedResourceRequest, Pod } from '../../../api/core/v1.types.ts'
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import type { ResourceAmounts } from '../../shared/pod-requests.ts'
import { type Status, unresolvable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { ClusterObjects } from '../snapshot.ts'
import { claimAllocationsOf } from './claim-allocations.ts'
import {
  type AllocationRules,
  type ClaimAllocation,
  type DeviceAllocator,
  deviceAllocator,
  NodeAllocationError,
} from './device-allocator.ts'
import { SearchTimeout } from './device-search.ts'
import type { DeviceEvaluator, DeviceMatcher } from './device-selectors.ts'
import { extendedClaim, mayBeDevices, storedExtendedClaim } from './extended-resources.ts'
import { ruleTaintsOf } from './taint-rules.ts'

/** An allocation for one claim of a pod. */
export interface AllocatedClaim extends ClaimAllocation {
  readonly claim: ResourceClaim
  /** Requests by container. Set if the claim stands for extended resources, and is not stored yet. */
  readonly mappings?: readonly ContainerExtendedResourceRequest[]
}

/** Allocations of a pod's claims on a node, or why there are none. */
type NodeResult = readonly AllocatedClaim[] | Status

/** Allocates devices for a pod's claims on a node, in steps. */
type AllocateOn = (node: NodeInfo) => Steps<NodeResult>

/** Results of a pod by node. */
export interface NodeResults {
  /** Computes the result of a node, in steps. */
  prepare(node: NodeInfo): Steps<NodeResult>
  /** Returns the result of a node, which is computed at once if it was not prepared. */
  on(node: NodeInfo): NodeResult
}

/** Results of a pod that needs no allocation. */
export const NO_RESULTS: NodeResults = {
  // biome-ignore lint/correctness/useYield: steps of a result that exists
  *prepare() {
    return []
  },
  on: () => [],
}

/** Extended resources of a pod. */
export interface ExtendedResources {
  readonly requests: ResourceAmounts
  /** Device classes by resource. */
  readonly classes: ReadonlyMap<string, string>
}

/**
 * Returns results that allocate devices for the claims of a pod, once for each node. @param unallocated claims of
 * the pod without an allocation
 */
export function resultsByNode(
  pod: Pod,
  unallocated: readonly ResourceClaim[],
  extended: ExtendedResources | undefined,
  objects: ClusterObjects,
  { rules, matches, evaluate }: { readonly rules: AllocationRules; readonly matches: DeviceMatcher; readonly evaluate?: DeviceEvaluator },
): NodeResults {
  const classOf = (name: string) => objects.get<DeviceClass>('DeviceClass', '', name)
  const ruleTaints = ruleTaintsOf(objects, matches)
  const state = {
    slices: objects.list<ResourceSlice>('ResourceSlice'),
    allocated: claimAllocationsOf(objects).allocatedDevices(objects),
    classOf,
    ...(ruleTaints && { ruleTaints }),
    ...(evaluate && { evaluate }),
  }
  const stale = extended && storedExtendedClaim(pod, objects)
  /** Allocators by the resources that devices have to provide: those that the node does not have by itself. */
  const allocators = new Map<string, AllocateOn>()
  const make = (resources: readonly string[]): AllocateOn | undefined => {
    const made =
      resources.length > 0 ? extendedClaim(pod, new Map(resources.map(name => [name, extended?.classes.get(name) ?? '']))) : undefined
    const claims = made ? [...unallocated, made.claim] : unallocated
    if (claims.length === 0) return undefined
    const allocate = deviceAllocator(claims, state, rules, matches)
    return function* ({ node }) {
      const found = yield* allocated(allocate, node)
      if ('code' in found) return found
      return found.flatMap((each, i) => {
        const claim = claims[i]
        return claim ? [{ ...each, claim, ...(made && claim === made.claim && { mappings: made.mappings }) }] : []
      })
    }
  }
  return remembered(function* (node) {
    if (stale) return unresolvable('cannot schedule extended resource claim')
    const resources = extended ? resourcesOfDevices(node, extended) : []
    if ('code' in resources) return resources
    const key = JSON.stringify(resources)
    const known = allocators.get(key) ?? make(resources)
    if (known === undefined) return []
    allocators.set(key, known)
    return yield* known(node)
  })
}

/** Returns the resources of a pod that devices have to provide on a node. */
function resourcesOfDevices({ allocatable }: NodeInfo, { requests, classes }: ExtendedResources): readonly string[] | Status {
  const resources: string[] = []
  for (const [name, amount] of requests) {
    if (amount === 0 || !mayBeDevices(name)) continue
    if (classes.has(name) && (allocatable.get(name) ?? 0) === 0) resources.push(name)
    else if (!allocatable.has(name)) return unresolvable('cannot fit resource')
  }
  return resources
}

function remembered(allocate: AllocateOn): NodeResults {
  const known = new Map<string, NodeResult>()
  function* prepare(node: NodeInfo): Steps<NodeResult> {
    const before = known.get(node.name)
    if (before) return before
    const result = yield* allocate(node)
    known.set(node.name, result)
    return result
  }
  return { prepare, on: node => known.get(node.name) ?? runAtOnce(prepare(node)) }
}

function* allocated(allocate: DeviceAllocator, node: NodeInfo['node']): Steps<readonly ClaimAllocation[] | Status> {
  try {
    return (yield* allocate(node)) ?? unresolvable('cannot allocate all claims')
  } catch (error) {
    if (error instanceof SearchTimeout || error instanceof NodeAllocationError) return unresolvable(error.message)
    throw error
  }
}
