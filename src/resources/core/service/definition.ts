import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import type { Service, ServiceSpec } from '../v1.types.ts'
import { ClusterIPs } from './allocation/cluster-ips.ts'
import { ipRange } from './allocation/ip-range.ts'
import { NodePorts } from './allocation/node-ports.ts'
import type { PortRange } from './allocation/port-set.ts'
import { ServiceReservations } from './allocation/reservation.ts'
import { isExternallyAccessible } from './fields.ts'
import { serviceProxySubresource } from './proxy.ts'
import { serviceStatusStrategy, serviceStrategy } from './strategy.ts'
import { serviceTable } from './table.ts'

/** Three hours. */
const AFFINITY_SECONDS = 10800

/** A config is dropped where the affinity is None. With ClientIP a missing time-out is three hours. */
function defaultAffinity(spec: ServiceSpec): void {
  if (!spec.sessionAffinity) spec.sessionAffinity = 'None'
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }
  }
}

/** Families and their policy depend on the ranges that are configured, so they come later: `ip-families.ts`. */
function setServiceDefaults(object: Service): void {
  const { spec } = object
  defaultAffinity(spec)
  if (!spec.type) spec.type = 'ClusterIP'
  for (const port of spec.ports ?? []) {
    if (!port.protocol) port.protocol = 'TCP'
    // 0 and the empty text count as not given.
    if (!port.targetPort) port.targetPort = port.port
  }
  if (spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer') spec.internalTrafficPolicy ??= 'Cluster'
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true
}

/** A policy for services that are reached from outside. An address of a load balancer is a virtual one unless it says otherwise. */
function setGatedServiceDefaults(object: Service, features: Features): void {
  const { spec, status } = object
  if (!spec.externalTrafficPolicy && isExternallyAccessible(object, features.release)) spec.externalTrafficPolicy = 'Cluster'
  if (spec.type !== 'LoadBalancer' || !features.enabled('LoadBalancerIPMode')) return
  for (const ingress of status.loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP'
}

/** The ranges that are configured. */
export interface ServiceOptions {
  /** `--service-cluster-ip-range`: one CIDR, or one of each family, the default family first. */
  readonly serviceCIDRs: readonly string[]
  /** `--service-node-port-range` */
  readonly nodePortRange: PortRange
  /** Returns a number of [0, 1), Math.random by default. It picks addresses, node ports and the endpoint that a proxy reaches; tests set it. */
  readonly random?: () => number
  /** Names may begin with a digit: the gate RelaxedServiceNameValidation. */
  readonly relaxedNames?: boolean
}

/** kube-apiserver's defaults. */
export const DEFAULT_SERVICE_OPTIONS: ServiceOptions = { serviceCIDRs: ['10.0.0.0/24'], nodePortRange: { base: 30000, size: 2768 } }

/** core/v1 Service. Its allocator needs `ipAddressResource`, `serviceCIDRResource` and `rangeAllocationResource` in the catalog. */
export function createServiceResource(options: ServiceOptions = DEFAULT_SERVICE_OPTIONS): ResourceDefinition {
  const random = options.random ?? Math.random
  const families = [...new Set(options.serviceCIDRs.map(cidr => ipRange(cidr).family))]
  const reservations = new ServiceReservations(new ClusterIPs(options.serviceCIDRs, random), new NodePorts(options.nodePortRange, random))
  const v1: Version<Service> = {
    group: '',
    name: 'v1',
    kind: 'Service',
    names: { plural: 'services', singular: 'service', shortNames: ['svc'] },
    categories: ['all'],
    verbs: STANDARD_VERBS,
    schema: types.type('core.Service'),
    setDefaults: setServiceDefaults,
    setGatedDefaults: setGatedServiceDefaults,
    table: serviceTable,
    selectableSince: { 'spec.clusterIP': '1.31', 'spec.type': '1.31' },
    selectableFields: { 'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '', 'spec.type': ({ spec }) => spec.type ?? '' },
    subresources: { proxy: serviceProxySubresource(random), status: { verbs: STATUS_VERBS, strategy: serviceStatusStrategy(options.relaxedNames) } },
  }
  return defineResource<Service>({
    scope: 'Namespaced',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'services/specs', version: v1 },
    strategy: serviceStrategy(reservations, families, options.relaxedNames),
  })
}
