import type { NetworkPolicy } from '../../../api/networking/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { isExactlyInSteps } from '../../../meta/empty-members.ts'
import { cidrWarnings } from '../../../meta/ip.ts'
import { printLabelSelector } from '../../../meta/label-selector.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { setGeneration } from '../../shared/spec-generation.ts'
import { STANDARD_VERBS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { setNetworkPolicyDefaults } from './defaults.ts'
import { allRules } from './peers.ts'
import { networkPolicyStatusStrategy, prepareStatus } from './status.ts'
import { validateNetworkPolicy } from './validation.ts'

const table: TableDefinition<NetworkPolicy> = {
  columns: [nameColumn, column('Pod-Selector', 'Selector of the pods that the policy applies to.'), ageColumn],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', printLabelSelector(spec.podSelector), age(metadata.creationTimestamp, now)],
}

/** Warns of addresses that are valid for existing objects only, such as those with leading zeros (KEP-4858). */
function* blockWarnings({ spec }: NetworkPolicy): Steps<string[]> {
  const warnings: string[] = []
  for (const { peers, peersPath } of allRules(spec)) {
    if (isStepDone()) yield
    for (const [n, { ipBlock }] of peers.entries()) {
      if (isStepDone()) yield
      if (!ipBlock) continue
      const { cidr, except = [] } = ipBlock
      const at = peersPath.index(n).child('ipBlock')
      warnings.push(...cidrWarnings(at.child('cidr'), cidr))
      for (const [i, inner] of except.entries()) {
        if (isStepDone()) yield
        warnings.push(...cidrWarnings(at.child('except').index(i), inner))
      }
    }
  }
  return warnings
}

const v1: Version<NetworkPolicy> = {
  group: 'networking.k8s.io',
  name: 'v1',
  kind: 'NetworkPolicy',
  names: { plural: 'networkpolicies', singular: 'networkpolicy', shortNames: ['netpol'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networking.NetworkPolicy'),
  setDefaults: setNetworkPolicyDefaults,
  table,
  subresources: { status: { verbs: STATUS_VERBS, until: '1.28', strategy: networkPolicyStatusStrategy } },
}

/**
 * Restricts the traffic of pods. It is enforced by the network plugin of the cluster, not by this server.
 * https://kubernetes.io/docs/concepts/services-networking/network-policies/
 * Source of its rules: pkg/registry/networking/networkpolicy.
 */
export const networkPolicyResource = defineResource<NetworkPolicy>({
  scope: 'Namespaced',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'networkpolicies', version: v1 },
  strategy: {
    metaRounds: ['whole', 'change'],
    resetFields: STATUS_FIELDS,
    *prepare(next, old, { features }) {
      setGeneration(next, old, old !== undefined && !(yield* isExactlyInSteps(next.spec, old.spec)))
      prepareStatus(next, old, features)
    },
    validate: validateNetworkPolicy,
    warnings: (next, _, { features }) => (isSince(features.release, '1.33') ? blockWarnings(next) : []),
  },
})
