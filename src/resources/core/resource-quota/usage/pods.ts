import type { Pod, PodAffinityTerm, PodSpec, ScopedResourceSelectorRequirement } from '../../../../api/core/v1.types.ts'
import { asKind } from '../../../../catalog/define.ts'
import { isStepDone, type Steps } from '../../../../lib/steps.ts'
import type { Features } from '../../../../lifecycle/gates.ts'
import { isSince } from '../../../../lifecycle/release.ts'
import { addParsed, type Quantity } from '../../../../meta/quantity.ts'
import type { AdmissionRequest } from '../../../../registry/types.ts'
import { PODS } from '../../../kinds.ts'
import { type ContainerAmounts, isPodLevelResource, mostOf, podAmounts } from '../../pod-spec/pod-amounts.ts'
import { podQosClass } from '../../pod-spec/qos.ts'
import { isExtendedResource, isHugePages, isNativeResource } from '../../pod-spec/resources.ts'
import { containersAndInit, isSidecar } from '../../pod-spec/visit.ts'
import { type Amounts, amountsOf, ONE } from './amounts.ts'
import { countName, type Evaluator, isCreation } from './evaluator.ts'
import { selects } from './scopes.ts'

const COUNT = countName(PODS)
/** Compute resources. Quotas may name each as `cpu` or `requests.cpu`, which are equal, and as `limits.cpu`. */
const COMPUTE = ['cpu', 'memory', 'ephemeral-storage']
const NAMES = new Set([COUNT, 'pods', ...COMPUTE.flatMap(name => [name, `requests.${name}`, `limits.${name}`])])
/** If a quota limits one of these, every container must specify it. */
const REQUIRED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory']

const REQUESTS = 'requests.'

function counts(name: string): boolean {
  if (NAMES.has(name) || isHugePages(name)) return true
  return name.startsWith(REQUESTS) && (isHugePages(name.slice(REQUESTS.length)) || !isNativeResource(name))
}

/** Converts requests and limits of a pod or container to names in quotas. */
function* computeUsage(requests: Amounts, limits: Amounts): Steps<Map<string, Quantity>> {
  const usage = new Map([['pods', ONE]])
  for (const name of COMPUTE) {
    const [request, limit] = [requests.get(name), limits.get(name)]
    if (request) usage.set(name, request).set(`${REQUESTS}${name}`, request)
    if (limit) usage.set(`limits.${name}`, limit)
  }
  for (const [name, request] of requests) {
    if (isStepDone()) yield
    if (isHugePages(name)) usage.set(name, request)
    if (isHugePages(name) || isExtendedResource(name)) usage.set(`${REQUESTS}${name}`, request)
  }
  return usage
}

/** Adds the overhead of the pod. Limits get it only for resources that have a limit. */
function withOverhead({ overhead }: PodSpec, amounts: Amounts, list: 'requests' | 'limits'): Amounts {
  if (!overhead) return amounts
  const sum = new Map(amounts)
  for (const [name, extra] of amountsOf(overhead)) {
    const before = sum.get(name)
    if (list === 'limits' && (before === undefined || before.value === 0n)) continue
    sum.set(name, before ? addParsed(before, extra, false) : extra)
  }
  return sum
}

/** Reports whether the pod sets pod-level resources that are counted. */
const saysOfItself = ({ resources }: PodSpec): boolean =>
  [resources?.requests, resources?.limits].some(list => Object.keys(list ?? {}).some(isPodLevelResource))

function* computeOf(pod: Pod, features: Features): Steps<Map<string, Quantity>> {
  const { resources, ...spec } = pod.spec
  const counted = features.enabled('PodLevelResources') ? pod.spec : spec
  const resized = features.enabled('InPlacePodVerticalScaling') ? resizedAmounts(pod) : undefined
  const requests = withOverhead(pod.spec, amountsOf(yield* podAmounts(counted, 'requests', resized)), 'requests')
  yield
  const limits = withOverhead(pod.spec, amountsOf(yield* podAmounts(counted, 'limits', resized)), 'limits')
  yield
  return yield* computeUsage(requests, limits)
}

/**
 * Returns the end of the grace period of a pod that is being deleted, by upstream's calculation. The pod is not counted
 * after that.
 */
function graceEnds({ metadata }: Pod): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined
  return Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000
}

/** Reports whether the pod uses anything besides its place in the store. */
const isLive = (pod: Pod, now: number): boolean => {
  const ends = graceEnds(pod)
  return pod.status.phase !== 'Failed' && pod.status.phase !== 'Succeeded' && !(ends !== undefined && now > ends)
}

function* usageOf(pod: Pod, features: Features, now: number): Steps<Amounts> {
  const usage = isLive(pod, now) ? yield* computeOf(pod, features) : new Map<string, Quantity>()
  return usage.set(COUNT, ONE)
}

/** Returns a message such as `must specify cpu for: a,b; memory for: b`. */
function* missingAmounts({ spec }: Pod, limited: ReadonlySet<string>, features: Features): Steps<string | undefined> {
  if (features.enabled('PodLevelResources') && saysOfItself(spec)) return undefined
  const required = REQUIRED.filter(name => limited.has(name)).sort()
  if (required.length === 0) return undefined
  const without = new Map<string, Set<string>>()
  for (const { name: container, resources } of containersAndInit(spec)) {
    yield
    const has = yield* computeUsage(amountsOf(resources.requests), amountsOf(resources.limits))
    for (const name of required) if (!has.has(name)) without.set(name, (without.get(name) ?? new Set()).add(container))
  }
  const faults = required.flatMap(name => {
    const containers = without.get(name)
    return containers ? [`${name} for: ${[...containers].sort().join(',')}`] : []
  })
  return faults.length === 0 ? undefined : `must specify ${faults.join('; ')}`
}

const isTerminating = ({ spec: { activeDeadlineSeconds } }: Pod): boolean =>
  activeDeadlineSeconds !== undefined && activeDeadlineSeconds >= 0

const leavesNamespace = ({ namespaces = [], namespaceSelector }: PodAffinityTerm): boolean =>
  namespaces.length > 0 || namespaceSelector !== undefined

function hasCrossNamespaceAffinity({ spec: { affinity } }: Pod): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some(
    terms =>
      terms?.requiredDuringSchedulingIgnoredDuringExecution?.some(leavesNamespace) === true ||
      terms?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) => leavesNamespace(podAffinityTerm)) === true,
  )
}

/** No pod is in a scope that is not known here. */
function inScope(selector: ScopedResourceSelectorRequirement, pod: Pod, features: Features): boolean {
  switch (selector.scopeName) {
    case 'Terminating':
      return isTerminating(pod)
    case 'NotTerminating':
      return !isTerminating(pod)
    case 'BestEffort':
      return podQosClass(pod.spec, features) === 'BestEffort'
    case 'NotBestEffort':
      return podQosClass(pod.spec, features) !== 'BestEffort'
    case 'PriorityClass':
      return selects(selector, pod.spec.priorityClassName ? [pod.spec.priorityClassName] : [])
    case 'CrossNamespacePodAffinity':
      return hasCrossNamespaceAffinity(pod)
    default:
      return false
  }
}

/**
 * Reports whether the request may change the usage: creates, resizes, and since 1.33 updates that move a pod to another
 * scope.
 */
function handles(request: AdmissionRequest, { release }: Features, resizes: boolean): boolean {
  const { operation, subresource, object, old } = request
  if (isCreation(request)) return true
  if (operation !== 'UPDATE') return false
  if (subresource === 'resize') return true
  if (subresource !== '' || !object || !old) return false
  // Before 1.32 a resize was an update of the pod itself.
  if (!isSince(release, '1.32')) return resizes
  return isSince(release, '1.33') && isTerminating(asKind(PODS, object)) !== isTerminating(asKind(PODS, old))
}

/** Evaluator for pods. Source: pkg/quota/v1/evaluator/core/pods.go in k8s.io/kubernetes. */
export const podEvaluator = (features: Features): Evaluator => ({
  resource: PODS,
  handles: request => handles(request, features, features.enabled('InPlacePodVerticalScaling')),
  counts,
  inScope: (selector, object) => inScope(selector, asKind(PODS, object), features),
  missing: (limited, object) => missingAmounts(asKind(PODS, object), limited, features),
  usage: (object, now) => usageOf(asKind(PODS, object), features, now),
  changesAt: object => graceEnds(asKind(PODS, object)),
})

/**
 * Returns the resources of a resizable pod's containers: the maximum of the desired, allocated and actual resources,
 * without the desired ones if the resize is infeasible. Init containers other than sidecars run once, with the
 * resources of the spec. Source: determineContainerReqs and determineContainerLimits in k8s.io/component-helpers.
 */
function resizedAmounts({ spec, status }: Pod): ContainerAmounts {
  const statuses = new Map([...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(each => [each.name, each]))
  const once = new Set((spec.initContainers ?? []).filter(container => !isSidecar(container)))
  const pending = status.conditions?.find(({ type }) => type === 'PodResizePending')
  const isInfeasible = pending?.reason === 'Infeasible'
  return (container, list) => {
    const wanted = container.resources[list]
    const actual = once.has(container) ? undefined : statuses.get(container.name)
    if (!actual?.resources) return wanted
    const { resources, allocatedResources } = actual
    return mostOf(isInfeasible ? undefined : wanted, resources[list], list === 'requests' ? allocatedResources : undefined)
  }
}
