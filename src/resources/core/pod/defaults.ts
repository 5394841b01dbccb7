import type { Pod, PodSpec, PodStatus, ResourceRequirements } from '../../../api/core/v1.types.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import { memberNames, noteCopy } from '../../../lib/wide-objects.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { defaultHostPorts, defaultPodSpec, dropInitContainerAnnotations } from '../pod-spec/defaults.ts'
import { containerAmounts, isPodLevelResource } from '../pod-spec/pod-amounts.ts'
import { isHugePages } from '../pod-spec/resources.ts'
import { containersAndInit } from '../pod-spec/visit.ts'
import { defaultsPodLevelOnWrite } from './pod-level-defaults.ts'

/**
 * Sets the defaults of a pod, in place. Defaults that templates do not have belong here: adding one to templates would
 * roll out every workload.
 */
export function setPodDefaults(pod: Pod): Steps<void> | undefined {
  dropInitContainerAnnotations(pod.metadata)
  const { spec } = pod
  const rounding = defaultPodSpec(spec)
  spec.enableServiceLinks ??= true
  if (spec.hostNetwork) defaultHostPorts(spec)
  mirrorPodIP(pod.status)
  if (rounding) return requestWideLimits(spec, rounding)
  for (const { resources } of containersAndInit(spec)) if (resources.limits) requestLimits(resources, Object.keys(resources.limits))
  return undefined
}

function* requestWideLimits(spec: PodSpec, rounding: Steps<void>): Steps<void> {
  yield* rounding
  for (const { resources } of containersAndInit(spec)) {
    const { limits } = resources
    if (limits === undefined) continue
    const names = yield* memberNames(limits)
    for (let i = 0; i === 0 || i < names.length; i += AT_ONCE) {
      requestLimits(resources, names.slice(i, i + AT_ONCE))
      yield
    }
    if (resources.requests) noteCopy(limits, resources.requests)
  }
}

/** Members that one step copies. */
const AT_ONCE = 1024

/** Sets defaults that depend on a feature gate. */
export function setGatedPodDefaults(pod: Pod, features: Features): void {
  if (!isSince(features.release, '1.33') && features.enabled('InPlacePodVerticalScaling')) setResizePolicies(pod.spec)
  if (!defaultsPodLevelOnWrite(features)) setPodLevelDefaults(pod, features)
}

/** Until 1.32 containers get a resize policy for each cpu and memory request: NotRequired, unless they set one. */
function setResizePolicies({ containers }: PodSpec): void {
  for (const container of containers ?? []) {
    const said = container.resizePolicy ?? []
    const silent = (['cpu', 'memory'] as const).filter(
      name => container.resources.requests?.[name] !== undefined && !said.some(({ resourceName }) => resourceName === name),
    )
    if (silent.length > 0)
      container.resizePolicy = [...said, ...silent.map(resourceName => ({ resourceName, restartPolicy: 'NotRequired' as const }))]
  }
}

/**
 * Fills in pod-level resources if the pod has any: requests default to those of the containers, or else to the limit.
 * Limits of huge pages, which cannot be overcommitted, default to those of the containers; since 1.34 not if the pod
 * requests such pages. `pod-level-defaults.ts` has the rules of 1.37.
 */
function setPodLevelDefaults({ spec }: Pod, features: Features): void {
  const { resources } = spec
  if (!features.enabled('PodLevelResources') || !resources) return
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return
  const keepsRequests = isSince(features.release, '1.34')
  for (const [name, amount] of Object.entries(runAtOnce(containerAmounts(spec, 'limits')))) {
    if (isHugePages(name) && !Object.hasOwn(limits, name) && !(keepsRequests && Object.hasOwn(requests, name))) limits[name] = amount
  }
  if (Object.keys(limits).length === 0) return
  resources.limits = limits
  for (const [name, amount] of Object.entries(runAtOnce(containerAmounts(spec, 'requests')))) {
    if (isPodLevelResource(name) && !isHugePages(name) && !Object.hasOwn(requests, name)) requests[name] = amount
  }
  for (const [name, amount] of Object.entries(limits))
    if (isPodLevelResource(name) && !Object.hasOwn(requests, name)) requests[name] = amount
  if (Object.keys(requests).length > 0) resources.requests = requests
}

/** Sets requests of these resources that are missing to the limits. */
function requestLimits(resources: ResourceRequirements, names: readonly string[]): void {
  const { limits = {} } = resources
  resources.requests ??= {}
  const { requests } = resources
  for (const name of names) if (!Object.hasOwn(requests, name)) requests[name] = limits[name] ?? ''
}

/** Makes `podIP` the first of `podIPs`. If they differ, `podIP` wins, since old clients know only that field. */
function mirrorPodIP(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip ?? ''
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }]
  else if (!status.podIP && first !== '') status.podIP = first
}
