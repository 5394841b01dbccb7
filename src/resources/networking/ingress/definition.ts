import type { Ingress, IngressRule, IngressStatus } from '../../../api/networking/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { prepareCreate, prepareUpdate } from '../../shared/spec-generation.ts'
import { keepSpec, SPEC_FIELDS, STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { CLASS_ANNOTATION } from './class-annotation.ts'
import { validateIngress, validateIngressStatus } from './validation.ts'

const ingressStrategy: Strategy<Ingress> = {
  metaRounds: ['change', 'whole'],
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    return old ? prepareUpdate(next, old) : prepareCreate(next, { loadBalancer: {} })
  },
  validate: validateIngress,
  warnings(next, old, { features }) {
    if (
      !isSince(features.release, '1.27') ||
      old ||
      next.metadata.annotations?.[CLASS_ANNOTATION] === undefined ||
      next.spec.ingressClassName !== undefined
    )
      return []
    return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`]
  },
}

const ingressStatusStrategy: Strategy<Ingress> = {
  resetFields: SPEC_FIELDS,
  prepare: keepSpec,
  validate: validateIngressStatus,
}

/** Number of hosts in a table cell. */
const HOSTS_SHOWN = 3

/** Prints hosts as `a.example.com,b.example.com`: the first three, and how many more rules there are. */
function hostsCell(rules: readonly IngressRule[]): string {
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

/** Prints addresses, sorted and without duplicates. An IP takes precedence over the hostname of the same entry. */
const addressCell = ({ loadBalancer: { ingress = [] } }: IngressStatus): string =>
  [...new Set(ingress.map(({ ip, hostname }) => ip || hostname || '').filter(address => address !== ''))].sort().join(',')

const ingressTable: TableDefinition<Ingress> = {
  columns: [
    nameColumn,
    column('Class', 'Ingress class.'),
    column('Hosts', 'Host names of its rules; `*` for any.'),
    column('Address', 'Addresses of the load balancer.'),
    column('Ports', 'Ports of the ingress: 80, and 443 with TLS.'),
    ageColumn,
  ],
  cells: ({ metadata, spec, status }, now) => [
    metadata.name ?? '',
    spec.ingressClassName ?? '<none>',
    hostsCell(spec.rules ?? []),
    addressCell(status),
    (spec.tls ?? []).length > 0 ? '80, 443' : '80',
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version<Ingress> = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'Ingress',
  names: { plural: 'ingresses', singular: 'ingress', shortNames: ['ing'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.Ingress'),
  table: ingressTable,
  subresources: { status: { verbs: STATUS_VERBS, strategy: ingressStatusStrategy } },
}

/**
 * Routes HTTP from outside the cluster to services. Stored below `ingress`, the name of the resource in
 * extensions/v1beta1, as in every release. https://kubernetes.io/docs/concepts/services-networking/ingress/ Source of
 * its rules: pkg/registry/networking/ingress.
 */
export const ingressResource = defineResource<Ingress>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'ingress', version: v1 },
  strategy: ingressStrategy,
})
