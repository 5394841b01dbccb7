import type { LoadBalancerIngress, Service, ServiceSpec } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseIp } from '../../../meta/ip.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { labelErrors } from '../../../meta/object-meta-validation.ts'
import { excluded, field, mandatory, type Rule, union } from '../../../meta/rules.ts'
import { type LegacyAddresses, legacyAddresses } from '../../shared/legacy-addresses.ts'
import { validateNonSpecialIP } from '../endpoints/validation.ts'
import { validateClusterIPs, validateClusterIPsUpdate, validateFamiliesUpdate } from './cluster-ips-validation.ts'
import { clusterIPsOf, familiesOf, HEADLESS, isHeadless, portsOf, serviceTypeOf } from './fields.ts'
import { validatePortPairs, validatePorts } from './ports-validation.ts'
import {
  validateBalancerAllocation,
  validateBalancerClass,
  validateExternalTraffic,
  validateHealthCheckUpdate,
  validateInternalTraffic,
  validateSourceRanges,
  validateTrafficDistribution,
} from './traffic-validation.ts'

const SPEC = fieldPath('spec')
/** Annotations of topology-aware routing. The first is the former name of the second. */
export const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints'
export const TOPOLOGY_MODE = 'service.kubernetes.io/topology-mode'
/** Longest timeout of session affinity: one day. */
const MAX_AFFINITY_SECONDS = 86400

/** Checks that both annotations have the same value if both are set, since 1.27. */
function validateTopologyAnnotations(service: Service): FieldError[] {
  const hints = service.metadata.annotations?.[TOPOLOGY_HINTS]
  const mode = service.metadata.annotations?.[TOPOLOGY_MODE]
  if (hints === undefined || mode === undefined || hints === mode) return []
  const path = fieldPath('metadata', 'annotations').key(TOPOLOGY_MODE)
  return [invalid(path, mode, `must match annotations[${TOPOLOGY_HINTS}] when both are specified`)]
}

/**
 * Port of the kubelet API. Before 1.33 load balancers could not use it, since the firewall rules of some clouds would
 * have exposed kubelets.
 */
const KUBELET_PORT = 10_250

const validateKubeletPort = (service: Service): FieldError[] =>
  portsOf(service).flatMap(({ port }, i) =>
    port === KUBELET_PORT
      ? [invalid(SPEC.child('ports').index(i), port, `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`)]
      : [],
  )

/**
 * Checks fields that depend on the type: a service with node ports has a cluster IP, and one with an external name has
 * no addresses, families or policy.
 */
function validateByType(service: Service, { release }: Features): FieldError[] {
  const type = serviceTypeOf(service)
  if (type === 'LoadBalancer' || type === 'NodePort') {
    const exposed = type === 'LoadBalancer' && !isSince(release, '1.33') ? validateKubeletPort(service) : []
    return isHeadless(service)
      ? [...exposed, invalid(SPEC.child('clusterIPs').index(0), HEADLESS, `may not be set to 'None' for ${type} services`)]
      : exposed
  }
  if (type !== 'ExternalName') return []
  const errors: FieldError[] = []
  const notSet = (name: string): number => errors.push(forbidden(SPEC.child(name), 'may not be set for ExternalName services'))
  if (clusterIPsOf(service).length > 0) notSet('clusterIPs')
  if (familiesOf(service).length > 0) notSet('ipFamilies')
  if (service.spec.ipFamilyPolicy !== undefined) notSet('ipFamilyPolicy')
  const path = SPEC.child('externalName')
  // A trailing dot marks a fully qualified name.
  const name = (service.spec.externalName ?? '').replace(/\.$/, '')
  if (name === '') errors.push(required(path))
  else errors.push(...isDns1123Subdomain(name).map(text => invalid(path, name, text)))
  return errors
}

/** The limit itself is valid, although the message says less than. */
const isAffinityTimeout: Rule<number> = (seconds, path) =>
  seconds > 0 && seconds <= MAX_AFFINITY_SECONDS
    ? []
    : [invalid(path, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)]

const NEEDED = 'when session affinity type is ClientIP'

/** Checks the timeout of session affinity. Defaults have set it, so it is missing only if the client has removed it. */
const affinity = union<ServiceSpec, 'sessionAffinity', unknown>(
  'sessionAffinity',
  {
    ClientIP: field(
      'sessionAffinityConfig',
      mandatory(NEEDED, field('clientIP', mandatory(NEEDED, field('timeoutSeconds', mandatory(NEEDED, isAffinityTimeout))))),
    ),
    None: field('sessionAffinityConfig', excluded('must not be set when session affinity is None')),
  },
  ({ sessionAffinity }, path, known) => {
    const at = path.child('sessionAffinity')
    return [sessionAffinity ? notSupported(at, sessionAffinity, known) : required(at)]
  },
)

/**
 * Checks external IPs: addresses of nodes to which other systems route traffic. Loopback and link-local addresses are
 * rejected. Only well-formed addresses are checked for that.
 */
function validateExternalIPs(service: Service, addresses: LegacyAddresses): FieldError[] {
  return (service.spec.externalIPs ?? []).flatMap((ip, i) => {
    const path = SPEC.child('externalIPs').index(i)
    const errors = addresses.ip(ip, path)
    return errors.length > 0 ? errors : validateNonSpecialIP(ip, path)
  })
}

const TYPES = enumValues('core.ServiceType')

/** Upstream checks the type after the fields that depend on it. */
function validateServiceType(service: Service): FieldError[] {
  const path = SPEC.child('type')
  const type = serviceTypeOf(service)
  if (type === '') return [required(path)]
  return TYPES.includes(type) ? [] : [notSupported(path, type, TYPES)]
}

/**
 * Validates a service. On update, with `old`, the errors of the update come first. The rest follows upstream's order,
 * which is not that of the struct. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateService(next: Service, old: Service | undefined, features: Features): Steps<FieldError[]> {
  const selectorErrors = yield* labelErrors(next.spec.selector ?? {}, SPEC.child('selector'))
  const ports = SPEC.child('ports')
  const update = old
    ? [
        ...validateClusterIPsUpdate(next, old),
        ...validateFamiliesUpdate(next, old),
        ...validateBalancerClass(next, old),
        ...validateHealthCheckUpdate(next, old),
      ]
    : []
  return [
    ...update,
    ...(isSince(features.release, '1.27') ? validateTopologyAnnotations(next) : []),
    ...(portsOf(next).length === 0 && !isHeadless(next) && serviceTypeOf(next) !== 'ExternalName' ? [required(ports)] : []),
    ...validateByType(next, features),
    ...validatePorts(next, ports),
    ...selectorErrors,
    ...affinity(next.spec, SPEC, undefined, undefined),
    ...validateClusterIPs(next, legacyAddresses(features, old?.spec.clusterIPs)),
    ...validateExternalIPs(next, legacyAddresses(features, old?.spec.externalIPs)),
    ...validateServiceType(next),
    ...validatePortPairs(next, ports),
    ...validateSourceRanges(next, old, features),
    ...validateBalancerAllocation(next),
    ...validateBalancerClass(next, undefined),
    ...validateExternalTraffic(next, features),
    ...validateInternalTraffic(next),
    ...validateTrafficDistribution(next, features),
  ]
}

/**
 * Validates an address of a load balancer. ipMode requires an IP. `needsMode` is set if an IP requires a mode as well,
 * while the gate is on.
 */
function validateIngress(
  { ip, ipMode, hostname }: LoadBalancerIngress,
  path: FieldPath,
  addresses: LegacyAddresses,
  needsMode: boolean,
): FieldError[] {
  const errors = ip ? addresses.ip(ip, path.child('ip')) : []
  const mode = path.child('ipMode')
  if (ipMode === undefined) {
    if (ip && needsMode) errors.push(required(mode, 'must be specified when `ip` is set'))
  } else if (!ip) errors.push(forbidden(mode, 'may not be specified when `ip` is not set'))
  else if (ipMode !== 'VIP' && ipMode !== 'Proxy') errors.push(notSupported(mode, ipMode, ['Proxy', 'VIP']))
  if (hostname) {
    const at = path.child('hostname')
    errors.push(...isDns1123Subdomain(hostname).map(text => invalid(at, hostname, text)))
    if (parseIp(hostname)) errors.push(invalid(at, hostname, 'must be a DNS name, not an IP address'))
  }
  return errors
}

/**
 * Validates the addresses of a load balancer. Since 1.29 services of other types may have none, and that is the only
 * error then. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function validateServiceStatus(next: Service, old: Service | undefined, features: Features): FieldError[] {
  const path = fieldPath('status', 'loadBalancer', 'ingress')
  const ingresses = next.status.loadBalancer.ingress ?? []
  const balancersOnly = isSince(features.release, '1.29') && !features.enabled('AllowServiceLBStatusOnNonLB')
  if (balancersOnly && ingresses.length > 0 && serviceTypeOf(next) !== 'LoadBalancer')
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
  const addresses = legacyAddresses(
    features,
    old?.status.loadBalancer.ingress?.flatMap(({ ip }) => ip ?? []),
  )
  return ingresses.flatMap((ingress, i) => validateIngress(ingress, path.index(i), addresses, features.enabled('LoadBalancerIPMode')))
}
