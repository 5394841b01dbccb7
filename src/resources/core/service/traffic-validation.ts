import type { Service } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, isValidPortNum } from '../../../meta/names.ts'
import { legacyAddresses } from '../../shared/legacy-addresses.ts'
import { validateOneOf } from '../../shared/word-lists.ts'
import { isExternallyAccessible, needsHealthCheck, serviceTypeOf } from './fields.ts'

const SPEC = fieldPath('spec')
const EXTERNAL_POLICIES = enumValues('core.ServiceExternalTrafficPolicy')
const INTERNAL_POLICIES = enumValues('core.ServiceInternalTrafficPolicy')
const SOURCE_RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const BALANCER_ONLY = "may only be used when `type` is 'LoadBalancer'"
const isBalancer = (service: Service): boolean => serviceTypeOf(service) === 'LoadBalancer'

/**
 * Validates the source ranges of a load balancer, or, if there are none, the annotation that preceded the field. Space
 * around a value is ignored. The path of the field starts with a capital letter, as in upstream's errors.
 */
export function validateSourceRanges(service: Service, old: Service | undefined, features: Features): FieldError[] {
  const ranges = service.spec.loadBalancerSourceRanges ?? []
  const annotation = service.metadata.annotations?.[SOURCE_RANGES_ANNOTATION]
  const errors: FieldError[] = []
  if (ranges.length > 0) {
    const path = SPEC.child('LoadBalancerSourceRanges')
    if (!isBalancer(service)) errors.push(forbidden(path, BALANCER_ONLY))
    const addresses = legacyAddresses(
      features,
      old?.spec.loadBalancerSourceRanges?.map(range => range.trim()),
    )
    for (const [i, range] of ranges.entries()) errors.push(...addresses.cidr(range.trim(), path.index(i)))
  } else if (annotation !== undefined) {
    const path = fieldPath('metadata', 'annotations').key(SOURCE_RANGES_ANNOTATION)
    if (!isBalancer(service)) errors.push(forbidden(path, BALANCER_ONLY))
    if (annotation.trim() === '' || annotation === old?.metadata.annotations?.[SOURCE_RANGES_ANNOTATION]) return errors
    const addresses = legacyAddresses(features)
    for (const range of annotation.trim().split(',')) errors.push(...addresses.cidr(range.trim(), path))
  }
  return errors
}

/** Checks that only services of type LoadBalancer set `allocateLoadBalancerNodePorts`. */
export function validateBalancerAllocation(service: Service): FieldError[] {
  const given = service.spec.allocateLoadBalancerNodePorts !== undefined
  if (given && !isBalancer(service)) return [forbidden(SPEC.child('allocateLoadBalancerNodePorts'), BALANCER_ONLY)]
  // The path lacks `spec`, as upstream's does.
  return !given && isBalancer(service) ? [required(fieldPath('allocateLoadBalancerNodePorts'))] : []
}

/**
 * Checks loadBalancerClass. It requires the type LoadBalancer, may be set only together with the type, and is immutable
 * while the type stays. On update validateService calls this with `old` and again without it, so an invalid name is
 * reported twice.
 */
export function validateBalancerClass(next: Service, old: Service | undefined): FieldError[] {
  const path = SPEC.child('loadBalancerClass')
  const name = next.spec.loadBalancerClass
  const errors: FieldError[] = []
  if (old && isBalancer(old) && isBalancer(next) && old.spec.loadBalancerClass !== name)
    errors.push(invalid(path, name, 'may not change once set'))
  if (name === undefined) return errors
  if (isBalancer(next)) errors.push(...isQualifiedName(name).map(text => invalid(path, name, text)))
  else errors.push(forbidden(path, BALANCER_ONLY))
  return errors
}

/**
 * Checks the external traffic policy. It is required for services that are reachable from outside, and forbidden for
 * others. healthCheckNodePort requires the type LoadBalancer with the policy Local. A missing one is allocated before
 * the write, so it is no error here.
 */
export function validateExternalTraffic(service: Service, { release }: Features): FieldError[] {
  const policy = service.spec.externalTrafficPolicy ?? ''
  const at = SPEC.child('externalTrafficPolicy')
  const errors: FieldError[] = []
  if (!isExternallyAccessible(service, release)) {
    if (policy !== '') errors.push(invalid(at, policy, 'may only be set for externally-accessible services'))
  } else if (policy === '') errors.push(required(at))
  else errors.push(...validateOneOf(policy, EXTERNAL_POLICIES, at))

  const port = service.spec.healthCheckNodePort ?? 0
  const portAt = SPEC.child('healthCheckNodePort')
  if (port !== 0) {
    if (needsHealthCheck(service)) errors.push(...isValidPortNum(port).map(text => invalid(portAt, port, text)))
    else errors.push(invalid(portAt, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
  }
  return errors
}

/**
 * Checks that the health check port does not change while the service needs one: load balancers are configured with it.
 */
export function validateHealthCheckUpdate(next: Service, old: Service): FieldError[] {
  if (!needsHealthCheck(old) || !needsHealthCheck(next)) return []
  if ((old.spec.healthCheckNodePort ?? 0) === (next.spec.healthCheckNodePort ?? 0)) return []
  return [forbidden(SPEC.child('healthCheckNodePort'), 'field is immutable')]
}

/**
 * Checks the internal traffic policy. It is required except for the type ExternalName, which has no addresses. A valid
 * value is accepted for any type.
 */
export function validateInternalTraffic(service: Service): FieldError[] {
  const path = SPEC.child('internalTrafficPolicy')
  const policy = service.spec.internalTrafficPolicy
  if (policy === undefined) return ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(serviceTypeOf(service)) ? [required(path)] : []
  return validateOneOf(policy, INTERNAL_POLICIES, path)
}

/**
 * Checks trafficDistribution. PreferClose is always valid (KEP-4444); PreferSameZone and PreferSameNode (KEP-3015) only
 * while their gate is on.
 */
export function validateTrafficDistribution({ spec: { trafficDistribution: value } }: Service, features: Features): FieldError[] {
  const known = features.enabled('PreferSameTrafficDistribution') ? ['PreferClose', 'PreferSameZone', 'PreferSameNode'] : ['PreferClose']
  return value === undefined || known.includes(value) ? [] : [notSupported(SPEC.child('trafficDistribution'), value, known)]
}
