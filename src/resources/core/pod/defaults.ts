import { runAtOnce } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { defaultHostPorts, defaultPodSpec, dropInitContainerAnnotations } from '../pod-spec/defaults.ts'
import { containerAmounts, isPodLevelResource } from '../pod-spec/pod-amounts.ts'
import { isHugePages } from '../pod-spec/resources.ts'
import { containersAndInit } from '../pod-spec/visit.ts'
import type { Pod, PodStatus, ResourceRequirements } from '../v1.types.ts'

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

/**
 * What a pod as a whole asks for, as far as it says something already: as much as its containers, and else as much as its limit. Limits of huge pages, which no one exceeds, come from the
 * containers.
 */
export function setPodLevelDefaults({ spec }: Pod, features: Features): void {
  const { resources } = spec
  if (!features.enabled('PodLevelResources') || !resources) return
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return
  for (const [name, amount] of Object.entries(runAtOnce(containerAmounts(spec, 'limits')))) {
    if (isHugePages(name) && !Object.hasOwn(limits, name)) limits[name] = amount
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
  for (const [name, quantity] of Object.entries(resources.limits)) {
    if (!Object.hasOwn(resources.requests, name)) resources.requests[name] = quantity
  }
}

/** `podIP` is the first of `podIPs`. Clients that know only the one win over what they left in the other. */
function mirrorPodIP(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip ?? ''
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }]
  else if (!status.podIP && first !== '') status.podIP = first
}
