import { defaultPodSpec, dropInitContainerAnnotations } from '../pod-spec/defaults.ts'
import { containersAndInit } from '../pod-spec/visit.ts'
import type { Pod, PodStatus, ResourceRequirements } from '../v1.types.ts'

/** Pod, in place. What templates do not get is here: it would change every workload when it is added. */
export function setPodDefaults(pod: Pod): void {
  dropInitContainerAnnotations(pod.metadata)
  const { spec } = pod
  defaultPodSpec(spec)
  for (const container of containersAndInit(spec)) requestLimits(container.resources)
  spec.enableServiceLinks ??= true
  if (spec.hostNetwork) {
    for (const container of containersAndInit(spec)) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
  }
  mirrorPodIP(pod.status)
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
