import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct } from '../checks.ts'
import { defaultPodSpec, dropInitContainerAnnotations } from '../pod-spec/defaults.ts'
import { containersAndInit } from '../pod-spec/visit.ts'

/** Pod, in place. What templates do not get is here: it would change every workload when it is added. */
export function setPodDefaults(pod: KubeObject): void {
  dropInitContainerAnnotations(pod.metadata)
  pod.spec ??= {}
  const { spec } = pod
  defaultPodSpec(spec)
  for (const container of containersAndInit(spec)) requestLimits(container.resources)
  spec.enableServiceLinks ??= true
  if (spec.hostNetwork) {
    for (const container of containersAndInit(spec)) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
  }
  if (pod.status) mirrorPodIP(pod.status)
}

/** A limit without a request asks for as much. */
function requestLimits(resources: ApiStruct): void {
  if (!resources?.limits) return
  resources.requests ??= {}
  for (const [name, quantity] of Object.entries(resources.limits)) {
    if (!Object.hasOwn(resources.requests, name)) resources.requests[name] = quantity
  }
}

/** `podIP` is the first of `podIPs`. Clients that know only the one win over what they left in the other. */
function mirrorPodIP(status: ApiStruct): void {
  const first: string = status.podIPs?.[0]?.ip ?? ''
  if (status.podIP && status.podIP !== first) status.podIPs = [{ ip: status.podIP }]
  else if (!status.podIP && first !== '') status.podIP = first
}
