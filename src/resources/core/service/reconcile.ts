import type { Service } from '../../../api/core/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import {
  clusterIPsOf,
  familiesOf,
  isExternallyAccessible,
  needsClusterIP,
  needsHealthCheck,
  needsNodePort,
  nodePortsOf,
  portsOf,
  sameList,
  serviceTypeOf,
} from './fields.ts'

/**
 * Clients of many versions write services, so a change of one field is propagated to the fields linked to it. Each
 * function changes only `next`, and is idempotent.
 */

/** Restores allocated values that a client omits, so that applying the same manifest again changes nothing. */
export function keepAllocated(next: Service, old: Service): void {
  const { spec } = next
  if (needsClusterIP(old) && needsClusterIP(next)) {
    if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP
    if (clusterIPsOf(next).length === 0 && clusterIPsOf(old).length > 0) spec.clusterIPs = [...clusterIPsOf(old)]
  }
  if (needsNodePort(old) && needsNodePort(next)) {
    // A port without a node port gets that of the old port with the same name, unless the new object uses that number
    // for another port.
    const kept = new Set(nodePortsOf(next))
    const used = new Set(nodePortsOf(old).filter(port => kept.has(port)))
    const byName = new Map(portsOf(old).map(port => [port.name ?? '', port.nodePort]))
    for (const port of portsOf(next)) {
      const before = port.nodePort ? undefined : byName.get(port.name ?? '')
      if (before && !used.has(before)) port.nodePort = before
    }
  }
  if (needsHealthCheck(old) && needsHealthCheck(next) && !spec.healthCheckNodePort && old.spec.healthCheckNodePort) {
    spec.healthCheckNodePort = old.spec.healthCheckNodePort
  }
}

/**
 * Aligns clusterIPs with clusterIP, which is the only one that old clients know. Contradictions are left to validation.
 */
export function alignClusterIPs(next: Service, old: Service | undefined): void {
  const { spec } = next
  const single = spec.clusterIP ?? ''
  if (!old) {
    if (single !== '' && clusterIPsOf(next).length === 0) spec.clusterIPs = [single]
    return
  }
  const before = old.spec.clusterIP ?? ''
  // A client that knows only clusterIP sends it back without the list.
  if (clusterIPsOf(old).length > 0 && clusterIPsOf(next).length === 0 && before === single) spec.clusterIPs = [...clusterIPsOf(old)]
  if (before === single || !sameList(clusterIPsOf(old), clusterIPsOf(next))) return
  // clusterIP has changed and the list has not, so the list follows.
  if (before !== '' && single === '') delete spec.clusterIPs
  else spec.clusterIPs = [single]
}

/**
 * Clears fields that the new type does not use, unless the client has changed them as well. Validation reports those.
 */
export function dropUnneeded(next: Service, old: Service, { release }: Features): void {
  const { spec } = next
  const before = old.spec
  if (needsClusterIP(old) && !needsClusterIP(next)) {
    if ((before.clusterIP ?? '') === (spec.clusterIP ?? '') && sameList(clusterIPsOf(old), clusterIPsOf(next))) {
      delete spec.clusterIP
      delete spec.clusterIPs
    }
    if (sameList(familiesOf(old), familiesOf(next))) delete spec.ipFamilies
    if (before.ipFamilyPolicy === spec.ipFamilyPolicy) delete spec.ipFamilyPolicy
  }
  if (needsNodePort(old) && !needsNodePort(next)) {
    // A node port that the old object did not have was set by the client. All are kept then, and left to validation.
    const had = new Set(nodePortsOf(old))
    if (nodePortsOf(next).every(port => had.has(port))) for (const port of portsOf(next)) delete port.nodePort
  }
  if (needsHealthCheck(old) && !needsHealthCheck(next) && before.healthCheckNodePort === spec.healthCheckNodePort)
    delete spec.healthCheckNodePort
  if (serviceTypeOf(old) === 'LoadBalancer' && serviceTypeOf(next) !== 'LoadBalancer') {
    if (before.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) delete spec.allocateLoadBalancerNodePorts
    if (before.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass
  }
  if (
    isExternallyAccessible(old, release) &&
    !isExternallyAccessible(next, release) &&
    before.externalTrafficPolicy === spec.externalTrafficPolicy
  ) {
    delete spec.externalTrafficPolicy
  }
}
