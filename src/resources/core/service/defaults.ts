import type { Service, ServiceSpec } from '../../../api/core/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isExternallyAccessible } from './fields.ts'

/** Default timeout of session affinity: three hours. */
const AFFINITY_SECONDS = 10800

/** Sets defaults of session affinity. The config is dropped if the affinity is None. */
function defaultAffinity(spec: ServiceSpec): void {
  if (!spec.sessionAffinity) spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
  }
}

/**
 * Sets defaults of a service. IP families and their policy depend on the configured ranges and are set later, in
 * `ip-families.ts`.
 */
export function setServiceDefaults(object: Service): void {
  const { spec } = object
  defaultAffinity(spec)
  if (!spec.type) spec.type = 'ClusterIP'
  for (const port of spec.ports ?? []) {
    if (!port.protocol) port.protocol = 'TCP'
    // 0 and an empty string count as unset.
    if (!port.targetPort) port.targetPort = port.port
  }
  if (spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer') spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

/**
 * Sets the external traffic policy of services that are reachable from outside. The IP mode of a load balancer's
 * address defaults to VIP.
 */
export function setGatedServiceDefaults(object: Service, features: Features): void {
  const { spec, status } = object
  if (!spec.externalTrafficPolicy && isExternallyAccessible(object, features.release)) spec.externalTrafficPolicy = 'Cluster'
  if (spec.type !== 'LoadBalancer' || !features.enabled('LoadBalancerIPMode')) return
  for (const ingress of status.loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP'
}
