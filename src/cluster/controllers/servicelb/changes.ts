import type { Node, Service } from '../../../api/core/v1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'

/** Finalizer that keeps a deleted service until its load balancer is gone. */
export const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup'

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers'
const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler'

/** Whether a service needs a load balancer of this controller. One with a class belongs to another program. */
export const wantsLoadBalancer = ({ spec }: Service): boolean => spec.type === 'LoadBalancer' && spec.loadBalancerClass === undefined

export const hasFinalizer = ({ metadata: { finalizers = [] } }: Service): boolean => finalizers.includes(FINALIZER)

/** Whether a service has a load balancer that must go. */
export const needsCleanup = (service: Service): boolean =>
  hasFinalizer(service) && (service.metadata.deletionTimestamp !== undefined || service.spec.type !== 'LoadBalancer')

/** Whether a change of a service may change its load balancer. Corresponds to upstream's needsUpdate. */
export function needsUpdate(old: Service, service: Service): boolean {
  if (!wantsLoadBalancer(old) && !wantsLoadBalancer(service)) return false
  return wantsLoadBalancer(old) !== wantsLoadBalancer(service) || !deepEqual(balancedParts(old), balancedParts(service))
}

/** The parts of a service on which its load balancer depends. */
const balancedParts = ({ metadata, spec }: Service): unknown => [
  metadata.uid,
  metadata.annotations ?? {},
  spec.loadBalancerSourceRanges ?? [],
  spec.ports ?? [],
  spec.sessionAffinity,
  spec.sessionAffinityConfig,
  spec.loadBalancerIP,
  spec.externalIPs ?? [],
  spec.externalTrafficPolicy,
  spec.healthCheckNodePort,
  (spec.ipFamilies ?? []).length,
]

/** Whether load balancers send traffic to a node. */
export const isBalanced = ({ metadata, spec }: Node): boolean =>
  metadata.deletionTimestamp === undefined &&
  metadata.labels?.[EXCLUDED] === undefined &&
  !(spec.taints ?? []).some(({ key }) => key === TO_BE_DELETED)
