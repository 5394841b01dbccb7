import type { Pod, PodSpec, ResourceRequirements } from '../../../api/core/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { compareQuantity, quantitySign } from '../../../meta/quantity.ts'
import { containersAndInit } from './visit.ts'

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ */
export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COMPUTE = ['cpu', 'memory']
const isPositive = (quantity: string | undefined): quantity is string => quantity !== undefined && quantitySign(quantity) > 0

/**
 * Returns the quality of service class, by cpu and memory of containers and init containers:
 * https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/
 */
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
      // Guaranteed requires a limit on cpu and memory of every container, and requests equal to the limits.
      if (!isPositive(limit) || (isPositive(request) && compareQuantity(request, limit) !== 0)) guaranteed = false
      // A limit with a request of zero is not guaranteed either.
      if (isPositive(limit) && !isPositive(request)) guaranteed = false
    }
  }
  if (!anything) return 'BestEffort'
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

/** Returns the class of pod-level resources, which take precedence over those of the containers. */
function wholeQosClass({ limits = {}, requests = {} }: ResourceRequirements): QosClass {
  const limited = COMPUTE.filter(name => isPositive(limits[name]))
  const asked = COMPUTE.filter(name => isPositive(requests[name]))
  if (limited.length === 0 && asked.length === 0) return 'BestEffort'
  const same = COMPUTE.every(
    name => isPositive(limits[name]) && isPositive(requests[name]) && compareQuantity(limits[name], requests[name]) === 0,
  )
  return same ? 'Guaranteed' : 'Burstable'
}

/** Returns the class in the status, or else that of the spec. */
export const knownQosClass = (pod: Pod, features: Features): string => pod.status.qosClass || podQosClass(pod.spec, features)
