import type { Service } from '../../../api/core/v1.types.ts'
import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { printLabels } from '../../../meta/label-selector.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { clusterIPsOf, portsOf, serviceTypeOf } from './fields.ts'

/**
 * Prints external addresses. For a LoadBalancer these are the addresses of its status, sorted and without duplicates,
 * then spec.externalIPs, or `<pending>` if it has neither.
 */
function externalIPCell(service: Service): string {
  const given = service.spec.externalIPs ?? []
  switch (serviceTypeOf(service)) {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || '<none>'
    case 'LoadBalancer': {
      const addresses = new Set((service.status.loadBalancer.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []))
      return [...[...addresses].sort(), ...given].join(',') || '<pending>'
    }
    case 'ExternalName':
      return service.spec.externalName ?? ''
    default:
      return '<unknown>'
  }
}

/** Prints ports as `80/TCP,443:30443/TCP`. */
const portsCell = (service: Service): string =>
  portsOf(service)
    .map(({ port, nodePort, protocol }) => (nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`))
    .join(',') || '<none>'

/** Table of services. */
export const serviceTable: TableDefinition<Service> = {
  columns: [
    nameColumn,
    column('Type', 'Type of the service.'),
    column('Cluster-IP', 'Address inside the cluster.'),
    column('External-IP', 'Addresses or name outside the cluster.'),
    column('Port(s)', 'Ports of the service.'),
    ageColumn,
    column('Selector', 'Label selector of the pods.', 1),
  ],
  cells: (service, now) => [
    service.metadata.name ?? '',
    serviceTypeOf(service),
    clusterIPsOf(service)[0] ?? '<none>',
    externalIPCell(service),
    portsCell(service),
    age(service.metadata.creationTimestamp, now),
    printLabels(service.spec.selector),
  ],
}
