import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/core/v1.types.ts'
import { isLongStepDone, isStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import type { GateName } from '../../lifecycle/feature-gates.ts'
import { MOST_IN_A_STEP } from '../../meta/few-values.ts'
import { amountOf } from './amount-of.ts'
import { deviceAmounts } from './device-amounts.ts'
import { isSidecar } from './pods.ts'

/** Amounts by resource: thousandths of a core for cpu, the base unit for any other, rounded up. */
export type ResourceAmounts = ReadonlyMap<string, number>

/** Features that change what a pod requests. */
export interface RequestRules {
  /** Whether requests of the pod as a whole replace those of its containers. Gate PodLevelResources. */
  readonly podLevel: boolean
  /**
   * Whether a resize in progress counts with the larger of the requested and the actual amount. Gate
   * InPlacePodVerticalScaling.
   */
  readonly inPlace: boolean
  /**
   * Optional. Whether `inPlace` holds for the pod as a whole, too. If omitted, it does not. Gate
   * InPlacePodLevelResourcesVerticalScaling.
   */
  readonly podLevelInPlace?: boolean
  /**
   * Optional. Whether resources of the node count that the pod's devices take. Gate DRANodeAllocatableResources.
   * Without it, they do not count.
   */
  readonly ofDevices?: boolean
}

/** Returns the rules of a server by its feature gates. */
export const requestRules = (enabled: (gate: GateName) => boolean): RequestRules => ({
  podLevel: enabled('PodLevelResources'),
  inPlace: enabled('InPlacePodVerticalScaling'),
  podLevelInPlace: enabled('InPlacePodLevelResourcesVerticalScaling'),
  ofDevices: enabled('DRANodeAllocatableResources'),
})

/**
 * Requests that scoring assumes for containers without one: 100m and 200 MiB. Source:
 * pkg/scheduler/util/pod_resources.go.
 */
const ASSUMED: ResourceAmounts = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
])
const NONE: ResourceAmounts = new Map()

/** Returns `like` if it has the same few amounts: equal amounts of thousands of pods then take memory once. */
export const shareAmounts = (like: ResourceAmounts | undefined, amounts: ResourceAmounts): ResourceAmounts =>
  like?.size === amounts.size && amounts.size <= MOST_IN_A_STEP && [...amounts].every(([name, amount]) => like.get(name) === amount)
    ? like
    : amounts

/** Converts a list of quantities. Throws QuantityError. */
export function amountsOf(list: Readonly<Record<string, string>> | undefined | null): ResourceAmounts {
  if (!list) return NONE
  const amounts = new Map<string, number>()
  for (const [name, quantity] of Object.entries(list)) amounts.set(name, amountOf(name, quantity))
  return amounts
}

/** `amountsOf` in steps, for a list that may be wide. */
export function* amountsInSteps(list: Readonly<Record<string, string>>): Steps<ResourceAmounts> {
  const amounts = new Map<string, number>()
  for (const name of yield* memberNames(list)) {
    if (isStepDone()) yield
    amounts.set(name, amountOf(name, list[name] ?? ''))
  }
  return amounts
}

/** Returns what a pod requests of a node. Source: PodRequests of k8s.io/component-helpers/resource. */
export const podRequests = (pod: Pod, rules: RequestRules): ResourceAmounts => runAtOnce(podRequestsInSteps(pod, rules))

/** `podRequests` in steps, for a pod that may have many containers. */
export const podRequestsInSteps = (pod: Pod, rules: RequestRules): Steps<ResourceAmounts> => sumRequests(pod, rules, NONE)

/**
 * Like `podRequests`, with assumed amounts of cpu and memory for containers without requests, so that scores spread
 * such pods.
 */
export const assumedPodRequestsInSteps = (pod: Pod, rules: RequestRules): Steps<ResourceAmounts> => sumRequests(pod, rules, ASSUMED)

function* sumRequests({ spec, status }: Pod, rules: RequestRules, assumed: ResourceAmounts): Steps<ResourceAmounts> {
  const actual = rules.inPlace ? new ActualRequests(status) : undefined
  const devices = rules.ofDevices ? deviceAmounts(status) : undefined
  /** @param isOnce whether the container runs once, so that it is not resized */
  function* requests(container: Container, isOnce = false): Steps<ResourceAmounts> {
    const own = yield* containerRequests(container, isOnce ? undefined : actual)
    const taken = devices?.ofContainers.get(container.name)
    if (assumed.size === 0 && taken === undefined) return own
    const filled = new Map(own)
    for (const [name, amount] of assumed) if (!filled.has(name)) filled.set(name, amount)
    if (taken) yield* add(filled, taken)
    return filled
  }
  const sum = new Map<string, number>()
  for (const container of spec.containers ?? []) {
    yield* add(sum, yield* requests(container))
    if (isLongStepDone()) yield
  }
  /** Sidecars that run beside the init containers that follow them. */
  const sidecars = new Map<string, number>()
  const starting = new Map<string, number>()
  for (const container of spec.initContainers ?? []) {
    const own = yield* requests(container, !isSidecar(container))
    if (isSidecar(container)) {
      yield* add(sum, own)
      yield* add(sidecars, own)
      yield* raise(starting, sidecars)
    } else {
      const beside = new Map(sidecars)
      yield* add(beside, own)
      yield* raise(starting, beside)
    }
    if (isLongStepDone()) yield
  }
  yield* raise(sum, starting)
  if (devices) yield* add(sum, devices.ofPod)
  if (rules.podLevel)
    for (const [name, amount] of yield* podLevelRequests(spec, status, rules.podLevelInPlace ? actual : undefined))
      if (isPodLevel(name)) sum.set(name, amount)
  yield* add(sum, yield* amountsInSteps(spec.overhead ?? {}))
  return sum
}

/** Whether a pod can request a resource as a whole. */
export const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')

/** Returns what a pod requests as a whole. Source: effectivePodLevelResources of k8s.io/component-helpers/resource. */
function* podLevelRequests(
  { resources }: Pod['spec'],
  { resources: actual, allocatedResources }: PodStatus,
  statuses: ActualRequests | undefined,
): Steps<ResourceAmounts> {
  const wanted = yield* amountsInSteps(resources?.requests ?? {})
  if (!statuses || !actual || ![...wanted.keys()].some(isPodLevel)) return wanted
  return yield* largestRequests(statuses.isInfeasible ? NONE : wanted, actual.requests, allocatedResources)
}

/** Resources of containers as their statuses report them, by the container's name. */
class ActualRequests {
  readonly isInfeasible: boolean
  readonly #statuses = new Map<string, ContainerStatus>()

  constructor({ containerStatuses, initContainerStatuses, conditions }: PodStatus) {
    this.isInfeasible = conditions?.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible') ?? false
    for (const statuses of [containerStatuses, initContainerStatuses])
      for (const each of statuses ?? []) if (!this.#statuses.has(each.name)) this.#statuses.set(each.name, each)
  }

  /** Returns the status of a container that reports resources. */
  of({ name }: Container): ContainerStatus | undefined {
    const status = this.#statuses.get(name)
    return status?.resources && status
  }
}

/**
 * Returns the largest of the requested, the allocated and the actual amounts, without the requested ones if the resize
 * cannot be carried out. Source: determineContainerReqs of k8s.io/component-helpers/resource.
 */
function* containerRequests(container: Container, statuses: ActualRequests | undefined): Steps<ResourceAmounts> {
  const wanted = yield* amountsInSteps(container.resources?.requests ?? {})
  const actual = statuses?.of(container)
  if (actual === undefined) return wanted
  return yield* largestRequests(statuses?.isInfeasible ? NONE : wanted, actual.resources?.requests, actual.allocatedResources)
}

type QuantityList = Readonly<Record<string, string>> | undefined

function* largestRequests(wanted: ResourceAmounts, actual: QuantityList, allocated: QuantityList): Steps<ResourceAmounts> {
  const largest = new Map(wanted)
  yield* raise(largest, yield* amountsInSteps(actual ?? {}))
  yield* raise(largest, yield* amountsInSteps(allocated ?? {}))
  return largest
}

function* add(sum: Map<string, number>, amounts: ResourceAmounts): Steps<void> {
  for (const [name, amount] of amounts) {
    if (isStepDone()) yield
    sum.set(name, (sum.get(name) ?? 0) + amount)
  }
}

/** Raises each amount to at least that of `least`. */
function* raise(amounts: Map<string, number>, least: ResourceAmounts): Steps<void> {
  for (const [name, amount] of least) {
    if (isStepDone()) yield
    if (amount > (amounts.get(name) ?? Number.NEGATIVE_INFINITY)) amounts.set(name, amount)
  }
}
