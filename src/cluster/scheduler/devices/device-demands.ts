import type { NodeAllocatableResourceClaimStatus, Pod } from '../../../api/core/v1.types.ts'
import type { ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { runAtOnce } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { addQuantity, compareQuantity } from '../../../meta/quantity.ts'
import { type ClaimRules, isReservedFor } from '../../shared/device-claims.ts'
import { lackingResources } from '../../shared/node-room.ts'
import { assumedPodRequestsInSteps, podRequests, type RequestRules } from '../../shared/pod-requests.ts'
import { type Status, unresolvable, unschedulable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import { type AllocatedDevices, claimResources, type FindDevice, findTakingDevice, hasMappedDevice } from './device-resources.ts'

/** A pod with devices that take resources of a node. */
interface DeviceDemand {
  readonly info: PodInfo
  readonly statuses: readonly NodeAllocatableResourceClaimStatus[]
}

/** How resources of devices are counted. */
export interface DemandRules {
  readonly requests: RequestRules
  readonly claims: ClaimRules
}

/** Pods as they count for nodes, by the node's name. */
const counted = new WeakMap<Pod, Map<string, PodInfo>>()

/**
 * Returns a pod as it counts for a node: with the resources that its devices take there, if `DeviceDemands` has found
 * any.
 */
export const podOnNode = (info: PodInfo, node: string): PodInfo => counted.get(info.pod)?.get(node) ?? info

/**
 * Resources of nodes that the devices of a pod take, on each node those that are allocated there. Source:
 * pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go.
 */
export class DeviceDemands {
  readonly #info: PodInfo
  readonly #rules: DemandRules
  readonly #find: FindDevice
  readonly #allocationsOn: (node: NodeInfo) => readonly AllocatedDevices[]
  readonly #isShared: (claim: ResourceClaim) => boolean
  readonly #demands = new Map<string, DeviceDemand | Status | undefined>()

  /**
   * @param allocationsOn returns the allocations of all claims of the pod on a node
   * @param isShared reports whether a claim is being allocated for another pod, too
   */
  constructor(
    info: PodInfo,
    slices: readonly ResourceSlice[],
    rules: DemandRules,
    allocationsOn: (node: NodeInfo) => readonly AllocatedDevices[],
    isShared: (claim: ResourceClaim) => boolean,
  ) {
    this.#info = info
    this.#rules = rules
    this.#find = findTakingDevice(slices)
    this.#allocationsOn = allocationsOn
    this.#isShared = isShared
    counted.delete(info.pod)
  }

  /** Returns why a node does not have what the pod and its devices need. Undefined if it has. */
  check(node: NodeInfo): Status | undefined {
    const demand = this.#demandOn(node)
    if (demand === undefined || 'code' in demand) return demand
    const { requested: used, allocatable } = node
    const lacking = lackingResources(demand.info.requests, { pods: 0, used, allocatable }, isOfNode).filter(each =>
      isOfNode(each.resourceName),
    )
    if (lacking.length === 0) return undefined
    const reasons = lacking.map(({ resourceName }) => `Insufficient ${resourceName}`)
    return lacking.some(({ requested, capacity }) => requested > capacity) ? unresolvable(...reasons) : unschedulable(...reasons)
  }

  /** Returns the resources as the status of the pod records them. */
  statusesOn(node: NodeInfo): readonly NodeAllocatableResourceClaimStatus[] {
    const demand = this.#demandOn(node)
    return demand && 'statuses' in demand ? demand.statuses : []
  }

  #demandOn(node: NodeInfo): DeviceDemand | Status | undefined {
    if (this.#demands.has(node.name)) return this.#demands.get(node.name)
    const demand = this.#compute(node)
    this.#demands.set(node.name, demand)
    if (demand && 'info' in demand) {
      const { pod } = this.#info
      counted.set(pod, (counted.get(pod) ?? new Map<string, PodInfo>()).set(node.name, demand.info))
    }
    return demand
  }

  #compute(node: NodeInfo): DeviceDemand | Status | undefined {
    const { pod } = this.#info
    const { release } = this.#rules.claims
    const allocations = this.#allocationsOn(node)
    const statuses = claimResources(pod, allocations, this.#find)
    if (statuses.length === 0) return undefined
    const unused = isSince(release, '1.37') ? undefined : statuses.find(({ containers }) => !containers?.length)
    if (unused)
      return unresolvable(
        `claim ${unused.resourceClaimName}: node-allocatable resource claim not referenced by any container within the pod`,
      )
    const shared = allocations.find(each => this.#isForeign(each))
    if (shared) {
      const claim = `node allocatable resource claim ${shared.claim.metadata.name}`
      return unresolvable(
        isSince(release, '1.37')
          ? `${claim} has a mapped device and cannot be shared across pods`
          : `${claim} is already used by another pod`,
      )
    }
    const on: Pod = { ...pod, status: { ...pod.status, nodeAllocatableResourceClaimStatuses: [...statuses] } }
    const { requests: rules } = this.#rules
    const problem = (rules.podLevel && exceededRequest(on, rules)) || (rules.podLevel && isSince(release, '1.37') && exceededLimit(on))
    if (problem) return unresolvable(problem)
    const assumedRequests = runAtOnce(assumedPodRequestsInSteps(on, rules))
    return { info: { ...this.#info, pod: on, requests: podRequests(on, rules), assumedRequests }, statuses }
  }

  /** Reports whether another pod has a claim that pods cannot share. */
  #isForeign({ claim, result }: AllocatedDevices): boolean {
    const isReserved = (claim.status.reservedFor?.length ?? 0) > 0 && !isReservedFor(claim, this.#info.pod, this.#rules.claims)
    return (isReserved || this.#isShared(claim)) && hasMappedDevice(result, this.#find)
  }
}

/** Reports whether devices may take a resource of their node. */
const isOfNode = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')

/** Returns why the requests of a pod as a whole do not cover those of its containers and devices. */
function exceededRequest(pod: Pod, rules: RequestRules): string | undefined {
  const [all, own] = [podRequests(pod, rules), podRequests(pod, { ...rules, podLevel: false })]
  const exceeded = [...own].find(([name, amount]) => amount > (all.get(name) ?? 0))
  return (
    exceeded && `pod level request for ${exceeded[0]} is insufficient to cover the aggregated container and node-allocatable DRA requests`
  )
}

/** Returns why the limits of a pod as a whole do not cover the limit of a container with its devices. */
function exceededLimit({ spec, status }: Pod): string | undefined {
  for (const { name: container, resources } of spec.containers ?? []) {
    const taken = amountsOfContainer(status.nodeAllocatableResourceClaimStatuses ?? [], container)
    for (const [name, limit] of Object.entries(resources?.limits ?? {})) {
      const most = name.startsWith('hugepages-') ? undefined : spec.resources?.limits?.[name]
      if (most !== undefined && compareQuantity(addQuantity(limit, taken.get(name)), most) > 0)
        return `pod level limit for ${name} is insufficient to cover the limit and DRA overhead for container ${container}`
    }
  }
  return undefined
}

/** Returns all resources of the claims that a container uses. */
function amountsOfContainer(statuses: readonly NodeAllocatableResourceClaimStatus[], container: string): ReadonlyMap<string, string> {
  const amounts = new Map<string, string>()
  for (const { containers, mapping = [], overhead = [] } of statuses) {
    if (!containers?.includes(container)) continue
    for (const { name, quantity } of mapping) amounts.set(name, addQuantity(amounts.get(name), quantity))
    for (const { name, perPod, perContainer } of overhead)
      amounts.set(name, addQuantity(amounts.get(name), addQuantity(perPod, perContainer)))
  }
  return amounts
}
