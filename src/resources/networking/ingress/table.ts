import type { TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'

const HOSTS_SHOWN = 3

/** `a.example.com,b.example.com`; of many the first three, and how many rules more. */
function hostsCell(rules: readonly KubeObject['spec'][]): string {
  const hosts: string[] = []
  let more = false
  for (const { host } of rules) {
    more = hosts.length === HOSTS_SHOWN
    if (more) break
    if (host) hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - HOSTS_SHOWN} more...` : hosts.join(',')
}

function addressCell(status: KubeObject['status']): string {
  const ingresses: { ip?: string; hostname?: string }[] = status?.loadBalancer?.ingress ?? []
  return [...new Set(ingresses.map(({ ip, hostname }) => ip || hostname || '').filter(address => address !== ''))].sort().join(',')
}

export const ingressTable: TableDefinition = {
  columns: [
    nameColumn,
    column('Class', 'The class whose controller serves it.'),
    column('Hosts', 'Host names of its rules; `*` for any.'),
    column('Address', 'Where its load balancer is reached.'),
    column('Ports', 'Ports on which requests are taken: with TLS, or without.'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec?.ingressClassName ?? '<none>',
    hostsCell(spec?.rules ?? []),
    addressCell(status),
    (spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    age(metadata.creationTimestamp, now),
  ],
}
