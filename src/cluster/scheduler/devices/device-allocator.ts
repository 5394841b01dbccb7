import type { Node } from '../../../api/core/v1.types.ts'
import type { AllocationResult, DeviceClass, DeviceSelector, ResourceClaim, ResourceSlice } from '../../../api/resource/v1beta2.types.ts'
import { objectKey } from '../../../clients/api-client.ts'
import type { Steps } from '../../../lib/steps.ts'
import { allocationResult } from './allocation-result.ts'
import { beginConstraint } from './attribute-constraints.ts'
import { type ClaimRequest, claimRequests, type RequestAlternative } from './claim-requests.ts'
import { hasCompatibilityGroups } from './compatibility-groups.ts'
import { DerivedAttributes } from './derived-attributes.ts'
import { type CounterRules, DeviceCounters } from './device-counters.ts'
import { type DevicePool, type PoolRules, poolsByNode } from './device-pools.ts'
import {
  type ChosenAlternative,
  DeviceSearch,
  MOST_DEVICES,
  type SearchedAlternative,
  type SearchedClaim,
  type SearchRules,
  StepBudget,
} from './device-search.ts'
import type { DeviceEvaluator, DeviceMatcher } from './device-selectors.ts'
import { areTolerated } from './device-tolerations.ts'
import type { OfferedDevice } from './offered-devices.ts'
import { type AllocatedDevices, SharedCapacities } from './shared-capacities.ts'
import type { RuleTaints } from './taint-rules.ts'

/** Rules of a release. */
export interface AllocationRules extends PoolRules, SearchRules, CounterRules {
  readonly adminAccess: boolean
  readonly prioritizedList: boolean
  readonly taints: boolean
  /**
   * Whether devices may have conditions of binding. Gates DRADeviceBindingConditions and DRAResourceClaimDeviceStatus.
   */
  readonly bindingConditions: boolean
  /**
   * Whether devices of incomplete and invalid pools are left out, as from 1.35 on. Before, an invalid pool is an error,
   * and an incomplete one only for the mode All.
   */
  readonly skipsUnusablePools: boolean
  /** Whether results have the tolerations of their requests. */
  readonly recordsTolerations: boolean
  /** Whether drivers may leave out operations of nodes. Gate DRAOptionalNodeOperations. */
  readonly optionalNodeOperations: boolean
  /** Optional. Time to search the devices of a node, in milliseconds. Default: only the number of tries is limited. */
  readonly filterTimeoutMs?: number
}

/** State of the cluster that devices are allocated from. */
export interface DeviceState {
  readonly slices: readonly ResourceSlice[]
  readonly allocated: AllocatedDevices
  classOf(name: string): DeviceClass | undefined
  /** Optional. Taints of devices besides their own. */
  readonly ruleTaints?: RuleTaints
  /** Evaluates the attributes of requests. Undefined while the gate DRADerivedAttributes is off: requests have none. */
  readonly evaluate?: DeviceEvaluator
}

/** The devices of a node do not suffice. The message says why, if there is a reason. */
export class NodeAllocationError extends Error {
  override readonly name = 'NodeAllocationError'
}

/**
 * Allocates devices on one node for all claims, in steps. Undefined if they do not suffice. Throws NodeAllocationError
 * if the node cannot be judged, and an Error if a claim or class is invalid.
 */
export type DeviceAllocator = (node: Node) => Steps<readonly ClaimAllocation[] | undefined>

/** Allocation of a claim. */
export interface ClaimAllocation {
  readonly result: AllocationResult
  /** Alternative that was chosen, by request. */
  readonly chosen: readonly ChosenAlternative[]
}

/** Returns an allocator for claims. Source: Allocate of k8s.io/dynamic-resource-allocation/structured. */
export function deviceAllocator(
  claims: readonly ResourceClaim[],
  state: DeviceState,
  rules: AllocationRules,
  matches: DeviceMatcher,
): DeviceAllocator {
  const poolsOf = poolsByNode(state.slices, rules)
  const requesting = claims.map(claim => ({ claim, requests: claimRequests(claim) }))
  const budget = new StepBudget(rules.filterTimeoutMs)
  return function* (node) {
    const pools = poolsOf(node)
    const searched: SearchedClaim[] = []
    for (const each of requesting) searched.push(yield* new ClaimPreparation(each, pools, state, rules, matches).prepare())
    const counters = new DeviceCounters(pools, state.allocated, rules)
    const found = yield* new DeviceSearch(searched, { allocated: state.allocated, counters, rules, step: budget.forNode() }).run()
    if (found === undefined) {
      if (rules.skipsUnusablePools && pools.some(({ invalidReason }) => invalidReason !== undefined))
        throw new NodeAllocationError('invalid resource pools were encountered')
      return undefined
    }
    return requesting.map(({ claim }, i) => ({
      chosen: found[i] ?? [],
      result: allocationResult(claim, found[i] ?? [], state.classOf, node.metadata.name ?? '', rules),
    }))
  }
}

/** A claim to allocate, with its requests. */
interface RequestingClaim {
  readonly claim: ResourceClaim
  readonly requests: readonly ClaimRequest[]
}

/** Checks a claim, and finds the devices of a node that each of its requests selects. */
class ClaimPreparation {
  readonly #claim: ResourceClaim
  readonly #requests: readonly ClaimRequest[]
  readonly #pools: readonly DevicePool[]
  readonly #state: DeviceState
  readonly #rules: AllocationRules
  readonly #matches: DeviceMatcher
  readonly #derived: DerivedAttributes | undefined

  constructor(
    { claim, requests }: RequestingClaim,
    pools: readonly DevicePool[],
    state: DeviceState,
    rules: AllocationRules,
    matches: DeviceMatcher,
  ) {
    this.#claim = claim
    this.#requests = requests
    this.#pools = pools
    this.#state = state
    this.#rules = rules
    this.#matches = matches
    this.#derived = state.evaluate && new DerivedAttributes(state.evaluate)
  }

  *prepare(): Steps<SearchedClaim> {
    const key = objectKey(this.#claim)
    const requests: SearchedAlternative[][] = []
    for (const { name, isPrioritized, alternatives } of this.#requests) {
      if (isPrioritized && !this.#rules.prioritizedList)
        throw new Error(`claim ${key}, request ${name}: has subrequests, but the DRAPrioritizedList feature is disabled`)
      const searched: SearchedAlternative[] = []
      for (const each of alternatives) searched.push(yield* this.#alternative(each, `claim ${key}, request ${each.shortName}`))
      requests.push(searched)
    }
    const least = requests.reduce((sum, alternatives) => sum + Math.min(...alternatives.map(({ count }) => count)), 0)
    if (least > MOST_DEVICES)
      throw new Error(`claim ${key}: number of requested devices ${least} exceeds the claim limit of ${MOST_DEVICES}`)
    const constraints = (this.#claim.spec.devices.constraints ?? []).map((constraint, i) => {
      const begun = beginConstraint(constraint, this.#rules.consumableCapacity, this.#derived)
      if (begun) return begun
      throw new Error(`claim ${key}, constraint #${i}: empty constraint (unsupported constraint type?)`)
    })
    return { key, requests, constraints }
  }

  *#alternative(alternative: RequestAlternative, at: string): Steps<SearchedAlternative> {
    const { selectors, adminAccess, className, capacity, mode, count } = alternative
    const empty = selectors.findIndex(({ cel }) => cel === undefined)
    if (empty >= 0) throw new Error(`${at}, selector #${empty}: CEL expression empty (unsupported selector type?)`)
    if (adminAccess !== undefined && !this.#rules.adminAccess)
      throw new Error(`${at}: admin access is requested, but the feature is disabled`)
    if (capacity !== undefined && !this.#rules.consumableCapacity)
      throw new Error(`${at}: has capacity requests, but the DRAConsumableCapacity feature is disabled`)
    if (className === '') throw new Error(`${at}: missing device class name (unsupported request type?)`)
    const deviceClass = this.#state.classOf(className)
    if (deviceClass === undefined)
      throw new Error(`${at}: could not retrieve device class ${className}: deviceclass.resource.k8s.io "${className}" not found`)
    const accepts = (device: OfferedDevice): Steps<boolean> => this.#accepts(alternative, deviceClass, device)
    if (mode === 'ExactCount') return { alternative, isAll: false, count, devices: this.#usableDevices(), accepts }
    if (mode !== 'All') throw new Error(`${at}: unsupported count mode ${mode}`)
    const capacities = new SharedCapacities(this.#state.allocated, this.#rules)
    const devices: OfferedDevice[] = []
    for (const device of this.#allDevices(at))
      if ((yield* this.#isSelected(alternative, deviceClass, device)) && capacities.suffices(alternative, device)) devices.push(device)
    return { alternative, isAll: true, count: devices.length, devices, accepts: device => this.#isTolerable(alternative, device) }
  }

  #allDevices(at: string): OfferedDevice[] {
    for (const { id, isIncomplete, invalidReason } of this.#pools) {
      if (isIncomplete) throw new Error(`${at}: asks for all devices, but resource pool ${id} is currently being updated`)
      if (invalidReason !== undefined) throw new Error(`${at}: asks for all devices, but resource pool ${id} is currently invalid`)
    }
    return this.#pools.flatMap(({ devices }) => devices)
  }

  #usableDevices(): OfferedDevice[] {
    const pools = this.#rules.skipsUnusablePools
      ? this.#pools.filter(pool => !pool.isIncomplete && pool.invalidReason === undefined)
      : this.#pools
    const invalid = pools.find(({ invalidReason }) => invalidReason !== undefined)
    if (invalid) throw new Error(`pool ${invalid.name} is invalid: ${invalid.invalidReason}`)
    return pools.flatMap(({ devices }) => devices)
  }

  *#accepts(alternative: RequestAlternative, deviceClass: DeviceClass, device: OfferedDevice): Steps<boolean> {
    return (yield* this.#isSelected(alternative, deviceClass, device)) && (yield* this.#isTolerable(alternative, device))
  }

  /** Reports whether a device may be allocated at all. */
  *#isTolerable({ tolerations }: RequestAlternative, offered: OfferedDevice): Steps<boolean> {
    const { consumesCounters = [], taints } = offered.device
    if (!this.#rules.partitionable && consumesCounters.length > 0) return false
    if (!this.#rules.optionalNodeOperations && offered.slice.spec.skipNodeOperations?.length) return false
    if (!this.#rules.compatibilityGroups && hasCompatibilityGroups(offered)) return false
    if (!this.#rules.taints) return true
    const { ruleTaints } = this.#state
    return areTolerated(taints, tolerations) && (ruleTaints === undefined || areTolerated(yield* ruleTaints(offered), tolerations))
  }

  *#isSelected(alternative: RequestAlternative, { metadata, spec }: DeviceClass, device: OfferedDevice): Steps<boolean> {
    const { selectors } = alternative
    if (!this.#rules.bindingConditions && (device.device.bindingConditions?.length ?? 0) > 0) return false
    const isSelected =
      (yield* this.#match(spec.selectors ?? [], `class ${metadata.name}`, device)) &&
      (yield* this.#match(selectors, `claim ${objectKey(this.#claim)}`, device))
    if (isSelected && alternative.derivedAttributes.length > 0) yield* this.#derive(alternative, device)
    return isSelected
  }

  *#derive(alternative: RequestAlternative, device: OfferedDevice): Steps<void> {
    try {
      if (this.#derived) yield* this.#derived.derive(alternative, device)
    } catch (error) {
      throw new Error(`claim ${objectKey(this.#claim)}, request ${alternative.shortName}: ${(error as Error).message}`, { cause: error })
    }
  }

  *#match(selectors: readonly DeviceSelector[], of: string, device: OfferedDevice): Steps<boolean> {
    for (const [i, { cel }] of selectors.entries()) {
      try {
        if (!(yield* this.#matches(cel?.expression ?? '', device))) return false
      } catch (error) {
        throw new Error(`${of}: selector #${i}: ${(error as Error).message}`, { cause: error })
      }
    }
    return true
  }
}
