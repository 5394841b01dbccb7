import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { printLabels } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { clusterIPsOf, portsOf, typeOf } from './fields.ts'

function externalIPCell(service: KubeObject): string {
  const given: string[] = service.spec.externalIPs ?? []
  switch (typeOf(service)) {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || '<none>'
    case 'LoadBalancer': {
      const ingresses: { ip?: string; hostname?: string }[] = service.status?.loadBalancer?.ingress ?? []
      const addresses = new Set(ingresses.flatMap(({ ip, hostname }) => (ip || hostname ? [(ip || hostname) as string] : [])))
      return [...[...addresses].sort(), ...given].join(',') || '<pending>'
    }
    case 'ExternalName':
      return service.spec.externalName ?? ''
    default:
      return '<unknown>'
  }
}

/** `80/TCP,443:30443/TCP` */
const portsCell = (service: KubeObject): string =>
  portsOf(service)
    .map(({ port = 0, nodePort, protocol = '' }) => (nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`))
    .join(',') || '<none>'

export const serviceTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Type', 'How the service is reached.'),
    column('Cluster-IP', 'The address inside of the cluster.'),
    column('External-IP', 'Addresses or name outside of the cluster.'),
    column('Port(s)', 'Ports of the service.'),
    ageColumn,
    column('Selector', 'Labels by which pods are selected.', 1),
  ],
  cells: (service, now) => [
    service.metadata.name ?? '',
    typeOf(service),
    clusterIPsOf(service)[0] ?? '<none>',
    externalIPCell(service),
    portsCell(service),
    age(service.metadata.creationTimestamp, now),
    printLabels(service.spec.selector),
  ],
}
