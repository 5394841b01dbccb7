import type { Service } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { STANDARD_VERBS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { ClusterIPs } from './allocation/cluster-ips.ts'
import { ipRange } from './allocation/ip-range.ts'
import { NodePorts } from './allocation/node-ports.ts'
import type { PortRange } from './allocation/port-set.ts'
import { ServiceReservations } from './allocation/reservation.ts'
import { setGatedServiceDefaults, setServiceDefaults } from './defaults.ts'
import { serviceProxySubresource } from './proxy.ts'
import { serviceStatusStrategy, serviceStrategy } from './strategy.ts'
import { serviceTable } from './table.ts'

/** Ranges and features of services. */
export interface ServiceOptions {
  /** `--service-cluster-ip-range`: one CIDR, or one of each family, with the default family first. */
  readonly serviceCIDRs: readonly string[]
  /** `--service-node-port-range` */
  readonly nodePortRange: PortRange
  /**
   * Optional. Returns a number in [0, 1). Default: Math.random. Chooses addresses, node ports and the endpoint of a
   * proxy request; tests set it.
   */
  readonly random?: () => number
  /** Whether names may begin with a digit (gate RelaxedServiceNameValidation). */
  readonly relaxedNames?: boolean
}

/** Defaults of kube-apiserver. */
export const DEFAULT_SERVICE_OPTIONS: ServiceOptions = { serviceCIDRs: ['10.0.0.0/24'], nodePortRange: { base: 30000, size: 2768 } }

/**
 * core/v1 Service. Its allocators need `ipAddressResource`, `serviceCIDRResource` and `rangeAllocationResource` in the
 * catalog.
 */
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
    subresources: {
      proxy: serviceProxySubresource(random),
      status: { verbs: STATUS_VERBS, strategy: serviceStatusStrategy(options.relaxedNames) },
    },
  }
  return defineResource<Service>({
    scope: 'Namespaced',
    versions: [v1],
    hub: v1,
    storage: { prefix: 'services/specs', version: v1 },
    strategy: serviceStrategy(reservations, families, options.relaxedNames),
  })
}
