import { runAtOnce } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { defaultHostPorts, defaultPodSpec, dropInitContainerAnnotations } from '../pod-spec/defaults.ts'
import { containerAmounts, isPodLevelResource } from '../pod-spec/pod-amounts.ts'
import { isHugePages } from '../pod-spec/resources.ts'
import { containersAndInit } from '../pod-spec/visit.ts'
import type { Pod, PodSpec, PodStatus, ResourceRequirements } from '../v1.types.ts'

/** Pod, in place. What templates do not get is here: it would change every workload when it is added. */
export function setPodDefaults(pod: Pod): void {
  dropInitContainerAnnotations(pod.metadata)
  const { spec } = pod
  defaultPodSpec(spec)
  for (const container of containersAndInit(spec)) requestLimits(container.resources)
  spec.enableServiceLinks ??= true
  if (spec.hostNetwork) defaultHostPorts(spec)
  mirrorPodIP(pod.status)
}

/** Defaults of a pod that exist only while a gate is on. */
export function setGatedPodDefaults(pod: Pod, features: Features): void {
  if (!isSince(features.release, '1.33') && features.enabled('InPlacePodVerticalScaling')) setResizePolicies(pod.spec)
  setPodLevelDefaults(pod, features)
}

/** Until 1.32 a container says of cpu and memory that it asks for how it is resized: without a restart, unless it says so. */
function setResizePolicies({ containers }: PodSpec): void {
  for (const container of containers ?? []) {
    const said = container.resizePolicy ?? []
    const silent = (['cpu', 'memory'] as const).filter(
      name => container.resources.requests?.[name] !== undefined && !said.some(({ resourceName }) => resourceName === name),
    )
    if (silent.length > 0) container.resizePolicy = [...said, ...silent.map(resourceName => ({ resourceName, restartPolicy: 'NotRequired' as const }))]
  }
}

/**
 * What a pod as a whole asks for, as far as it says something already: as much as its containers, and else as much as its limit. Limits of huge pages, which no one exceeds, come from the
 * containers; since 1.34 not where the pod requests such pages.
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
  for (const [name, amount] of Object.entries(limits)) if (isPodLevelResource(name) && !Object.hasOwn(requests, name)) requests[name] = amount
  if (Object.keys(requests).length > 0) resources.requests = requests
}

/** A limit without a request asks for as much. */
function requestLimits(resources: ResourceRequirements): void {
  if (!resources.limits) return
  resources.requests ??= {}
  const { limits, requests } = resources
  for (const name of Object.keys(limits)) if (!Object.hasOwn(requests, name)) requests[name] = limits[name] ?? ''
}

/** `podIP` is the first of `podIPs`. Clients that know only the one win over what they left in the other. */
function mirrorPodIP(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip ?? ''
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }]
  else if (!status.podIP && first !== '') status.podIP = first
}
