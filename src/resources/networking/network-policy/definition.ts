import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { cidrWarnings } from '../../../meta/ip.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { prepareGeneration } from '../spec-generation.ts'
import { setNetworkPolicyDefaults } from './defaults.ts'
import { allRules } from './peers.ts'
import { validateNetworkPolicy } from './validation.ts'

const table: TableDefinition = {
  columns: [nameColumn, column('Pod-Selector', 'The pods that the policy is about.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', printLabelSelector(spec?.podSelector), age(metadata.creationTimestamp, now)],
}

function blockWarnings({ spec }: KubeObject): string[] {
  const blocks = allRules(spec).flatMap(({ peers }) => peers.filter(({ peer }) => peer.ipBlock))
  return blocks.flatMap(({ peer: { ipBlock }, path }) => {
    const at = path.child('ipBlock')
    const except: string[] = ipBlock.except ?? []
    return [...cidrWarnings(at.child('cidr'), ipBlock.cidr ?? ''), ...except.flatMap((cidr, i) => cidrWarnings(at.child('except').index(i), cidr))]
  })
}

const v1: Version = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'NetworkPolicy',
  names: { plural: 'networkpolicies', singular: 'networkpolicy', shortNames: ['netpol'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.NetworkPolicy'),
  setDefaults: setNetworkPolicyDefaults,
  table,
}

export const networkPolicyResource: ResourceDefinition = {
  scope: 'Namespaced',
  versions: [v1],
  home: v1,
  storage: { prefix: 'networkpolicies', version: v1 },
  strategy: { revalidatesMeta: true, prepare: prepareGeneration, validate: validateNetworkPolicy, warnings: blockWarnings },
}
