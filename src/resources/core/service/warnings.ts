import type { Service } from '../../../api/core/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { cidrWarnings, ipWarnings } from '../../../meta/ip.ts'
import { oldCidrWarnings, oldIpWarnings } from '../../../meta/old-ip-warnings.ts'
import { clusterIPsOf, HEADLESS, isHeadless, serviceTypeOf } from './fields.ts'
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from './validation.ts'

const SPEC = fieldPath('spec')

/**
 * Warnings for fields that have no effect in combination, for deprecated fields, and for addresses in legacy notation.
 * Releases before 1.27 have none, and later ones add more.
 */
export function serviceWarnings(service: Service, { release }: Features): string[] {
  if (!isSince(release, '1.27')) return []
  const { spec } = service
  const texts: string[] = []
  const [ofIp, ofCidr] = isSince(release, '1.33') ? [ipWarnings, cidrWarnings] : [oldIpWarnings, oldCidrWarnings]
  if (service.metadata.annotations?.[TOPOLOGY_HINTS] !== undefined)
    texts.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`)
  if (spec.clusterIP && !isHeadless(service)) {
    for (const [i, ip] of clusterIPsOf(service).entries()) texts.push(...ofIp(SPEC.child('clusterIPs').index(i), ip))
  }
  const externalIPs = spec.externalIPs ?? []
  const headless = serviceTypeOf(service) === 'ClusterIP' && spec.clusterIP === HEADLESS
  if (headless && isSince(release, '1.34')) {
    if (spec.loadBalancerIP) texts.push('spec.loadBalancerIP is ignored for headless services')
    if (externalIPs.length > 0) texts.push('spec.externalIPs is ignored for headless services')
    if (spec.sessionAffinity !== 'None') texts.push('spec.SessionAffinity is ignored for headless services')
  }
  for (const [i, ip] of externalIPs.entries()) texts.push(...ofIp(SPEC.child('externalIPs').index(i), ip))
  if (isSince(release, '1.36') && externalIPs.length > 0 && !headless && serviceTypeOf(service) !== 'ExternalName')
    texts.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters')
  if (spec.loadBalancerIP) texts.push(...ofIp(SPEC.child('loadBalancerIP'), spec.loadBalancerIP))
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    texts.push(...ofCidr(SPEC.child('loadBalancerSourceRanges').index(i), range))
  }
  if (!isSince(release, '1.28')) return texts
  if (serviceTypeOf(service) === 'ExternalName') {
    if (externalIPs.length > 0) texts.push('spec.externalIPs is ignored when spec.type is "ExternalName"')
  } else if (spec.externalName) texts.push('spec.externalName is ignored when spec.type is not "ExternalName"')
  if (isSince(release, '1.35') && spec.trafficDistribution === 'PreferClose')
    texts.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"')
  return texts
}

/** Warnings for addresses in legacy notation. */
export function serviceStatusWarnings(service: Service, { release }: Features): string[] {
  if (!isSince(release, '1.33')) return []
  return (service.status.loadBalancer.ingress ?? []).flatMap(({ ip }, i) =>
    ip ? ipWarnings(fieldPath('status', 'loadBalancer', 'ingress').index(i), ip) : [],
  )
}
