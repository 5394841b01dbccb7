import type { Features } from '../../../lifecycle/gates.ts'
import { compareQuantity, quantitySign } from '../../../meta/quantity.ts'
import type { Pod, PodSpec, ResourceRequirements } from '../v1.types.ts'
import { containersAndInit } from './visit.ts'

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COMPUTE = ['cpu', 'memory']
const isPositive = (quantity: string | undefined): quantity is string => quantity !== undefined && quantitySign(quantity) > 0

/** Quality of service by the cpu and memory of containers and init containers: https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ */
export function podQosClass(spec: PodSpec, features: Features): QosClass {
  if (features.enabled('PodLevelResources') && spec.resources) return wholeQosClass(spec.resources)
  let anything = false
  let guaranteed = true
  for (const container of containersAndInit(spec)) {
    const { limits = {}, requests = {} } = container.resources
    for (const name of COMPUTE) {
      const limit = limits[name]
      const request = requests[name]
      if (isPositive(limit) || isPositive(request)) anything = true
      // Guaranteed: cpu and memory of every container have a limit, and a request equal to it.
      if (!isPositive(limit) || (isPositive(request) && compareQuantity(request, limit) !== 0)) guaranteed = false
      // A limit with a request of zero is no guarantee, either.
      if (isPositive(limit) && !isPositive(request)) guaranteed = false
    }
  }
  if (!anything) return 'BestEffort'
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

/** By what a pod says of itself as a whole, which counts more than what its containers say. */
function wholeQosClass({ limits = {}, requests = {} }: ResourceRequirements): QosClass {
  const limited = COMPUTE.filter(name => isPositive(limits[name]))
  const asked = COMPUTE.filter(name => isPositive(requests[name]))
  if (limited.length === 0 && asked.length === 0) return 'BestEffort'
  const same = COMPUTE.every(name => isPositive(limits[name]) && isPositive(requests[name]) && compareQuantity(limits[name], requests[name]) === 0)
  return same ? 'Guaranteed' : 'Burstable'
}

/** The class that the status says, else that of the spec. */
export const knownQosClass = (pod: Pod, features: Features): string => pod.status.qosClass || podQosClass(pod.spec, features)
