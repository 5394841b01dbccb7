import type { NodeSelectorRequirement } from '../../../api/core/v1.types.ts'
import type { ClusterCIDR, ClusterCIDRSpec } from '../../../api/networking/v1alpha1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { age } from '../../../meta/age.ts'
import { type FieldError, immutableError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { parseCidr } from '../../../meta/ip.ts'
import { nameIsDnsLabel } from '../../../meta/names.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { validateNodeSelector } from '../../core/pod-spec/affinity.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { goMember } from '../../shared/go-values.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'

/** Smallest number of host bits of a node's range: 16 addresses. */
const FEWEST_HOST_BITS = 4

/** Validates a CIDR of one family, from which each node gets 2^perNodeHostBits addresses. */
function validateRange(text: string, hostBits: number, family: 4 | 6, path: FieldPath): FieldError[] {
  const at = path.child(`IPv${family}`)
  const cidr = parseCidr(text)
  if (!cidr) return [invalid(at, text, `must be a valid CIDR: ${text}`)]
  const bits = path.child('perNodeHostBits')
  const most = (family === 4 ? 32 : 128) - cidr.prefix
  return [
    ...(cidr.family === family ? [] : [invalid(at, text, `must be a valid IPv${family} CIDR`)]),
    ...(hostBits < FEWEST_HOST_BITS ? [invalid(bits, hostBits, `must be greater than or equal to ${FEWEST_HOST_BITS}`)] : []),
    ...(hostBits > most ? [invalid(bits, hostBits, `must be less than or equal to ${most}`)] : []),
  ]
}

function validateClusterCidrSpec({ nodeSelector, perNodeHostBits, ipv4 = '', ipv6 = '' }: ClusterCIDRSpec, path: FieldPath): FieldError[] {
  const errors = nodeSelector ? validateNodeSelector(nodeSelector, false, path.child('nodeSelector')) : []
  if (ipv4 === '' && ipv6 === '') return [...errors, required(path, 'one or both of `ipv4` and `ipv6` must be specified')]
  if (ipv4 !== '') errors.push(...validateRange(ipv4, perNodeHostBits, 4, path))
  if (ipv6 !== '') errors.push(...validateRange(ipv6, perNodeHostBits, 6, path))
  return errors
}

/**
 * Validates a ClusterCIDR. Its spec is immutable. Source: pkg/apis/networking/validation in k8s.io/kubernetes, up to
 * 1.28.
 */
function validateClusterCIDR({ spec }: ClusterCIDR, old: ClusterCIDR | undefined): FieldError[] {
  const path = fieldPath('spec')
  const unchanged = (member: 'perNodeHostBits' | 'ipv4' | 'ipv6'): FieldError[] =>
    old ? validateImmutableField(spec[member], old.spec[member], path.child(member)) : []
  const selector = old ? validateImmutableField(spec.nodeSelector, old.spec.nodeSelector, path.child('nodeSelector')) : []
  return [
    ...validateClusterCidrSpec(spec, path),
    ...(selector.length > 0
      ? [immutableError(path.child('nodeSelector'), goMember('networkingV1alpha1.ClusterCIDRSpec', 'nodeSelector', spec.nodeSelector))]
      : []),
    ...unchanged('perNodeHostBits'),
    ...unchanged('ipv4'),
    ...unchanged('ipv6'),
  ]
}

/** Prints requirements as `[{zone In [a b]} {disk Exists []}]`. */
const requirementsText = (requirements: readonly NodeSelectorRequirement[]): string =>
  `[${requirements.map(({ key, operator, values = [] }) => `{${key} ${operator} [${values.join(' ')}]}`).join(' ')}]`

function selectorCell({ nodeSelector }: ClusterCIDRSpec): string {
  if (!nodeSelector) return '<none>'
  const terms = (nodeSelector.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [], matchFields = [] }) => [
    ...(matchExpressions.length > 0 ? [`MatchExpressions: ${requirementsText(matchExpressions)}`] : []),
    ...(matchFields.length > 0 ? [`MatchFields: ${requirementsText(matchFields)}`] : []),
  ])
  return terms.join(',')
}

const table: TableDefinition<ClusterCIDR> = {
  columns: [
    nameColumn,
    column('PerNodeHostBits', 'Host bits of the range of a node.'),
    column('IPv4', 'IPv4 range.'),
    column('IPv6', 'IPv6 range.'),
    ageColumn,
    column('NodeSelector', 'Selector of the nodes with these ranges.', 1),
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    String(spec.perNodeHostBits),
    spec.ipv4 || '<none>',
    spec.ipv6 || '<none>',
    age(metadata.creationTimestamp, now),
    selectorCell(spec),
  ],
}

const v1alpha1: Version<ClusterCIDR> = {
  group: 'networking.k8s.io',
  name: 'v1alpha1',
  kind: 'ClusterCIDR',
  names: { plural: 'clustercidrs', singular: 'clustercidr', shortNames: ['cc'] },
  verbs: STANDARD_VERBS,
  schema: types.type('networkingV1alpha1.ClusterCIDR'),
  table,
}

/**
 * CIDRs for the pods of some nodes, which the node IPAM controller allocates. Releases 1.25 to 1.28 have it, not served
 * by default. https://kep.k8s.io/2593 Source of its rules: pkg/registry/networking/clustercidr.
 */
export const clusterCIDRResource = defineResource<ClusterCIDR>({
  scope: 'Cluster',
  versions: [v1alpha1],
  hub: v1alpha1,
  storage: { prefix: 'clustercidrs', version: v1alpha1 },
  strategy: { metaRounds: ['change', 'whole'], validateName: nameIsDnsLabel, validate: validateClusterCIDR },
})
