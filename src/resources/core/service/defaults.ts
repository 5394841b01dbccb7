import type { KubeObject } from '../../../meta/object.ts'
import { isExternallyAccessible } from './fields.ts'

/** Three hours. */
const AFFINITY_SECONDS = 10800

function defaultAffinity(spec: KubeObject['spec']): void {
  if (!spec.sessionAffinity) spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
  }
}

/** Families and their policy depend on the ranges that are configured, so they come later: `ip-families.ts`. */
export function setServiceDefaults(object: KubeObject): void {
  const { spec } = object
  defaultAffinity(spec)
  if (!spec.type) spec.type = 'ClusterIP'
  for (const port of spec.ports ?? []) {
    if (!port.protocol) port.protocol = 'TCP'
    if (!port.targetPort) port.targetPort = port.port ?? 0
  }
  if (!spec.externalTrafficPolicy && isExternallyAccessible(object)) spec.externalTrafficPolicy = 'Cluster'
  if (spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer') spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true
    for (const ingress of object.status?.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP'
  }
}
