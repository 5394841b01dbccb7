import type { Pod } from '../../../api/core/v1.types.ts'
import type { AllocationResult, ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import { parseMilliseconds } from '../../../lib/duration.ts'
import type { GateName } from '../../../lifecycle/feature-gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { type ClaimRules, isReservedFor, MOST_CONSUMERS } from '../../shared/device-claims.ts'
import type { DeviceKinds } from '../../shared/device-kinds.ts'
import { matchesNodeSelector } from '../../shared/node-affinity.ts'
import { requestRules } from '../../shared/pod-requests.ts'
import { bindingState, isBindingOverdue } from '../devices/binding-conditions.ts'
import { claimAllocationsOf } from '../devices/claim-allocations.ts'
import { claimRequests } from '../devices/claim-requests.ts'
import type { AllocationRules } from '../devices/device-allocator.ts'
import { type DemandRules, DeviceDemands } from '../devices/device-demands.ts'
import type { AllocatedDevices } from '../devices/device-resources.ts'
import { type DeviceEvaluator, type DeviceMatcher, deviceEvaluator, deviceMatcher } from '../devices/device-selectors.ts'
import { classesOfResources, storedExtendedClaim } from '../devices/extended-resources.ts'
import { type ExtendedResources, NO_RESULTS, type NodeResults, resultsByNode } from '../devices/pod-claim-allocator.ts'
import { podDeviceClaims } from '../devices/pod-device-claims.ts'
import { alternativesScore } from '../devices/preferred-alternatives.ts'
import { NO_CLAIMS, releaseClaim } from '../devices/release-claims.ts'
import { type ClaimWriter, reserveClaims } from '../devices/reserve-claims.ts'
import { normalizeByHighest, type Plugin, type PreFiltered, SKIP, unresolvable } from '../framework.ts'
import type { NodeInfo } from '../node-info.ts'
import type { PodInfo } from '../pod-info.ts'
import type { ClusterObjects } from '../snapshot.ts'

/** Name of the plugin. */
export const DYNAMIC_RESOURCES = 'DynamicResources'

/** Arguments of the plugin. Source: DynamicResourcesArgs of kubescheduler.config.k8s.io/v1. */
export interface DynamicResourcesArgs {
  /** Optional. Time to search the devices of a node, as a Go duration. 0: not limited. Default: 10 s. */
  readonly filterTimeout?: string
  /**
   * Optional. Time in which drivers must prepare devices with conditions of binding, as a Go duration. Default: 10 min.
   */
  readonly bindingTimeout?: string
}

const [FILTER_TIMEOUT, BINDING_TIMEOUT] = ['10s', '10m']

interface DeviceRules {
  readonly rules: AllocationRules
  readonly matches: DeviceMatcher
  /** Evaluates attributes of requests. Omitted if there are none. Gate DRADerivedAttributes. */
  readonly evaluate?: DeviceEvaluator
  readonly writer: ClaimWriter
  /** Omitted if devices take no resources of their node. Gate DRANodeAllocatableResources. */
  readonly demands?: DemandRules
}

/** Allocates devices for the claims of a pod. Source: pkg/scheduler/framework/plugins/dynamicresources. */
export function dynamicResources(
  release: Release,
  enabled: (gate: GateName) => boolean,
  kinds: DeviceKinds,
  args: DynamicResourcesArgs = {},
): Plugin {
  const filterTimeoutMs = enabled('DRASchedulerFilterTimeout') ? parseMilliseconds(args.filterTimeout ?? FILTER_TIMEOUT) : 0
  const rules = { ...allocationRules(release, enabled), ...(filterTimeoutMs > 0 && { filterTimeoutMs }) }
  const bindingTimeoutMs = rules.bindingConditions ? parseMilliseconds(args.bindingTimeout ?? BINDING_TIMEOUT) : undefined
  const claimRules: ClaimRules = { release, ofGroups: enabled('DRAWorkloadResourceClaims') }
  const writer: ClaimWriter = {
    kind: kinds.claims,
    rules: claimRules,
    recordsTime: enabled('DRADeviceBindingConditions'),
    ...(bindingTimeoutMs && { bindingTimeoutMs }),
  }
  const takesResources = enabled('DRANodeAllocatableResources')
  const device: DeviceRules = {
    rules,
    matches: deviceMatcher(release, rules.consumableCapacity),
    ...(enabled('DRADerivedAttributes') && { evaluate: deviceEvaluator(release, rules.consumableCapacity) }),
    writer,
    ...(takesResources && { demands: { requests: requestRules(enabled), claims: claimRules } }),
  }
  const isScored = isSince(release, '1.35') && rules.prioritizedList
  const hasExtended = enabled('DRAExtendedResource')
  // Results of the pods in the current cycle.
  const podResults = new WeakMap<Pod, NodeResults>()
  return {
    name: DYNAMIC_RESOURCES,
    // Devices are free when claims change. The resources of the node that they took are free with the pod.
    isHelpedByPod: (_pod, change) => takesResources && change === 'assigned pod deleted',
    preEnqueue(pod, objects) {
      const found = podDeviceClaims(pod, objects, claimRules)
      return 'problem' in found ? unresolvable(found.problem) : undefined
    },
    preFilter(info, { objects }) {
      const { pod, requests } = info
      const classes = hasExtended ? classesOfResources(requests, objects) : NO_CLASSES
      if (!pod.spec.resourceClaims?.length && classes.size === 0) return { status: SKIP }
      const rejected = (reason: string): PreFiltered => ({ status: unresolvable(reason), postFilter: () => NO_CLAIMS })
      const found = podDeviceClaims(pod, objects, claimRules)
      if ('problem' in found) return rejected(found.problem)
      const { claims } = found
      if (claims.length === 0 && classes.size === 0) return { status: SKIP, postFilter: () => NO_CLAIMS }
      const shared = sharedAllocations(pod, claims, objects, release)
      const problem = problemOf(pod, claims, objects, { ...rules, claimRules, shared })
      if (problem !== undefined) return rejected(problem)
      const { results, ...prepared } = preparePod(
        info,
        { claims, shared, extended: classes.size > 0 ? { requests, classes } : undefined },
        objects,
        device,
      )
      podResults.set(pod, results)
      return prepared
    },
    preScore({ pod }) {
      const results = isScored ? podResults.get(pod) : undefined
      if (results === undefined || !pod.spec.resourceClaims?.length) return SKIP
      return {
        score(node) {
          const result = results.on(node)
          return 'code' in result ? 0 : result.reduce((sum, { chosen }) => sum + alternativesScore(chosen), 0)
        },
        normalize: scores => normalizeByHighest(scores, false),
      }
    },
  }
}

const NO_CLASSES: ReadonlyMap<string, string> = new Map()

/** Returns the rules by which a release allocates devices. */
export const allocationRules = (release: Release, enabled: (gate: GateName) => boolean): AllocationRules => ({
  countsOtherNodes: isSince(release, '1.35'),
  skipsUnusablePools: isSince(release, '1.35'),
  recordsTolerations: isSince(release, '1.35'),
  sortsPools: isSince(release, '1.36'),
  marksAdminDevices: isSince(release, '1.34'),
  checkedCapacity: isSince(release, '1.37'),
  partitionable: enabled('DRAPartitionableDevices'),
  compatibilityGroups: enabled('DRADeviceCompatibilityGroups'),
  optionalNodeOperations: enabled('DRAOptionalNodeOperations'),
  adminAccess: enabled('DRAAdminAccess'),
  prioritizedList: enabled('DRAPrioritizedList'),
  taints: enabled('DRADeviceTaints'),
  consumableCapacity: enabled('DRAConsumableCapacity'),
  fractionalCapacity: enabled('DRAFractionalCapacityRange'),
  bindingConditions: enabled('DRADeviceBindingConditions') && enabled('DRAResourceClaimDeviceStatus'),
})

/** Allocations of claims that have begun for other pods of a pod's group. */
type SharedAllocations = ReadonlyMap<ResourceClaim, AllocationResult>

/**
 * Returns the allocations that a pod shares with others of its group: since 1.36, which schedules them in one cycle.
 */
function sharedAllocations(pod: Pod, claims: readonly ResourceClaim[], objects: ClusterObjects, release: Release): SharedAllocations {
  const shared = new Map<ResourceClaim, AllocationResult>()
  if (!isSince(release, '1.36')) return shared
  for (const claim of claims) {
    const allocation = claim.status.allocation ? undefined : claimAllocationsOf(objects).sharedWith(pod, claim)
    if (allocation) shared.set(claim, allocation)
  }
  return shared
}

/** Returns why no node can be chosen for a pod with the claims. Undefined if one may. */
function problemOf(
  pod: Pod,
  claims: readonly ResourceClaim[],
  objects: ClusterObjects,
  { prioritizedList, claimRules, shared }: AllocationRules & { readonly claimRules: ClaimRules; readonly shared: SharedAllocations },
): string | undefined {
  for (const claim of claims) {
    const { allocation, reservedFor = [] } = claim.status
    if (allocation) {
      if (reservedFor.length >= MOST_CONSUMERS && !isReservedFor(claim, pod, claimRules)) return 'resourceclaim in use'
      continue
    }
    if (shared.has(claim)) continue
    if (claimAllocationsOf(objects).isPending(claim)) return `resource claim ${objectKey(claim)} is in the process of being allocated`
    for (const { name, isPrioritized, alternatives } of claimRequests(claim)) {
      if (isPrioritized && !prioritizedList)
        return `claim ${objectKey(claim)}, request ${name}: has subrequests, but the DRAPrioritizedList feature is disabled`
      for (const { name: at, className } of alternatives) {
        if (className === '') throw new Error(`request ${at}: unsupported request type`)
        if (objects.get('DeviceClass', '', className) === undefined) return `request ${at}: device class ${className} does not exist`
      }
    }
  }
  return undefined
}

/** Claims and devices that a pod needs. */
interface PodDevices {
  readonly claims: readonly ResourceClaim[]
  readonly shared: SharedAllocations
  /** Resources that devices may provide. Undefined if there are none. */
  readonly extended: ExtendedResources | undefined
}

/** Returns the filter of a pod, and the reservation of a node. */
function preparePod(
  info: PodInfo,
  { claims, shared, extended }: PodDevices,
  objects: ClusterObjects,
  { writer, demands: demandRules, ...device }: DeviceRules,
): PreFiltered & { readonly results: NodeResults } {
  const { pod } = info
  const allocationOf = (claim: ResourceClaim): AllocationResult | undefined => claim.status.allocation ?? shared.get(claim)
  const unallocated = claims.filter(claim => allocationOf(claim) === undefined)
  const results = unallocated.length > 0 || extended ? resultsByNode(pod, unallocated, extended, objects, device) : NO_RESULTS
  const allocationsOn = (node: NodeInfo): readonly AllocatedDevices[] => {
    const known = claims.flatMap(claim => {
      const result = allocationOf(claim)
      return result ? [{ claim, result }] : []
    })
    const made = results.on(node)
    return 'code' in made ? known : [...known, ...made]
  }
  const slices = objects.list<ResourceSlice>('ResourceSlice')
  const demands = demandRules && new DeviceDemands(info, slices, demandRules, allocationsOn, claim => shared.has(claim))
  const lacksFeature = (node: NodeInfo): boolean =>
    device.rules.optionalNodeOperations && !declaresOptionalOperations(node) && allocationsOn(node).some(skipsOperations)
  const unavailable = new Set<ResourceClaim>()
  const { bindingTimeoutMs } = writer
  const failed = bindingTimeoutMs === undefined ? [] : claims.filter(claim => isNeverReady(claim, objects.now(), bindingTimeoutMs))
  return {
    results,
    isSlow: true,
    filter: {
      prepare: results.prepare,
      check(node) {
        const elsewhere = claims.filter(claim => failed.includes(claim) || !isAvailable(allocationOf(claim), node))
        const result = results.on(node)
        if ('code' in result) return result
        for (const claim of elsewhere) if (!shared.has(claim)) unavailable.add(claim)
        if (elsewhere.length > 0) return unresolvable('resourceclaim not available on the node')
        return lacksFeature(node) ? unresolvable("node(s) didn't match Pod's required features") : demands?.check(node)
      },
    },
    reserve(node) {
      const result = results.on(node)
      if ('code' in result) return result
      if (claims.length + result.length === 0) return undefined
      const allocated = [...[...shared].map(([claim, allocation]) => ({ claim, result: allocation, chosen: [] })), ...result]
      return reserveClaims(pod, { node: node.name, claims, allocated, nodeResources: demands?.statusesOn(node) ?? [] }, objects, writer)
    },
    postFilter: group => releaseClaim(pod, { unavailable, stale: extended && storedExtendedClaim(pod, objects) }, writer.kind, group),
  }
}

const declaresOptionalOperations = ({ node }: NodeInfo): boolean =>
  node.status.declaredFeatures?.includes('DRAOptionalNodeOperations') ?? false

/** Reports whether the kubelet must leave out operations for a device. */
const skipsOperations = ({ result }: AllocatedDevices): boolean =>
  result.devices.results?.some(({ skipNodeOperations }) => skipNodeOperations?.length) ?? false

/** Reports whether a node can reach the devices of an allocation, if there is one. */
function isAvailable(allocation: AllocationResult | undefined, { node }: NodeInfo): boolean {
  const selector = allocation?.nodeSelector
  return selector === undefined || matchesNodeSelector(selector, node)
}

/** Reports whether the devices of an allocated claim could not be prepared. */
function isNeverReady(claim: ResourceClaim, now: number, timeoutMs: number): boolean {
  if (claim.status.allocation === undefined) return false
  const state = bindingState(claim)
  return typeof state === 'object' || (state === 'pending' && isBindingOverdue(claim, now, timeoutMs))
}
