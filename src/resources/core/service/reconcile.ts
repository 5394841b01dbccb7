import type { Features } from '../../../lifecycle/gates.ts'
import type { Service } from '../v1.types.ts'
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
  typeOf,
} from './fields.ts'

/**
 * Clients of many ages write services, so what a change of one field means for those linked to it is inferred. Each function mutates `next` only, and changes nothing
 * when it runs again.
 */

/** Puts back allocated values that a client left out, so that writing the same manifest again is no change. */
export function keepAllocated(next: Service, old: Service): void {
  const { spec } = next
  if (needsClusterIP(old) && needsClusterIP(next)) {
    if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP
    if (clusterIPsOf(next).length === 0 && clusterIPsOf(old).length > 0) spec.clusterIPs = [...clusterIPsOf(old)]
  }
  if (needsNodePort(old) && needsNodePort(next)) {
    // A port without a node port gets that of the old port of the same name, unless the new object gives that number to another port.
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

/** Brings clusterIPs in line with clusterIP, which is all that old clients know. What contradicts is left for validation. */
export function alignClusterIPs(next: Service, old: Service | undefined): void {
  const { spec } = next
  const single = spec.clusterIP ?? ''
  if (!old) {
    if (single !== '' && clusterIPsOf(next).length === 0) spec.clusterIPs = [single]
    return
  }
  const before = old.spec.clusterIP ?? ''
  // A client that knows clusterIP alone sends it back without the list.
  if (clusterIPsOf(old).length > 0 && clusterIPsOf(next).length === 0 && before === single) spec.clusterIPs = [...clusterIPsOf(old)]
  if (before === single || !sameList(clusterIPsOf(old), clusterIPsOf(next))) return
  // Here clusterIP has changed and the list has not: the list follows.
  if (before !== '' && single === '') delete spec.clusterIPs
  else spec.clusterIPs = [single]
}

/** Clears what the new type has no use for, unless the client changed it too: then validation reports it. */
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
    // A node port that the old object did not have is the client's own: then all stay, for validation to judge.
    const had = new Set(nodePortsOf(old))
    if (nodePortsOf(next).every(port => had.has(port))) for (const port of portsOf(next)) delete port.nodePort
  }
  if (needsHealthCheck(old) && !needsHealthCheck(next) && before.healthCheckNodePort === spec.healthCheckNodePort) delete spec.healthCheckNodePort
  if (typeOf(old) === 'LoadBalancer' && typeOf(next) !== 'LoadBalancer') {
    if (before.allocateLoadBalancerNodePorts === spec.allocateLoadBalancerNodePorts) delete spec.allocateLoadBalancerNodePorts
    if (before.loadBalancerClass === spec.loadBalancerClass) delete spec.loadBalancerClass
  }
  if (isExternallyAccessible(old, release) && !isExternallyAccessible(next, release) && before.externalTrafficPolicy === spec.externalTrafficPolicy) {
    delete spec.externalTrafficPolicy
  }
}
