import type { LeaseCandidate as AlphaCandidate } from '../../../api/coordination/v1alpha1.types.ts'
import type { LeaseCandidate } from '../../../api/coordination/v1beta1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { isConfigMapKey } from '../../../meta/names.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { validateAlphaCandidate, validateLeaseCandidate } from './validation.ts'

const table: TableDefinition<LeaseCandidate> = {
  columns: [
    nameColumn,
    column('LeaseName', 'Lease of the candidate.'),
    column('BinaryVersion', 'Binary version of the candidate.'),
    column('EmulationVersion', 'Emulated version of the candidate.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    spec.leaseName,
    spec.binaryVersion,
    spec.emulationVersion ?? '',
    age(metadata.creationTimestamp, now),
  ],
}

const v1beta1: Version<LeaseCandidate> = {
  group: 'coordination.k8s.io',
  name: 'v1beta1',
  kind: 'LeaseCandidate',
  names: { plural: 'leasecandidates', singular: 'leasecandidate' },
  verbs: STANDARD_VERBS,
  schema: types.type('coordinationV1beta1.LeaseCandidate'),
  table,
}

/** Differs from v1beta1 only in name. */
const v1alpha2: Version<LeaseCandidate> = { ...v1beta1, name: 'v1alpha2', schema: types.type('coordinationV1alpha2.LeaseCandidate') }

/**
 * v1alpha1 has a list of strategies, in order of preference. Later versions have only the first, so the others are lost
 * when such a release writes the object.
 */
const v1alpha1: Version<AlphaCandidate, LeaseCandidate> = {
  group: v1beta1.group,
  name: 'v1alpha1',
  kind: v1beta1.kind,
  names: v1beta1.names,
  verbs: v1beta1.verbs,
  schema: types.type('coordinationV1alpha1.LeaseCandidate'),
  toHub({ spec: { binaryVersion = '', preferredStrategies, ...spec }, ...object }) {
    const strategies = preferredStrategies ?? []
    return { ...object, spec: { ...spec, binaryVersion, strategy: strategies[0] ?? '', preferredStrategies: strategies } }
  },
  fromHub({ spec: { strategy, preferredStrategies = strategy === '' ? [] : [strategy], ...spec }, ...object }) {
    return { ...object, spec: { ...spec, preferredStrategies } }
  },
}

/**
 * A candidate for a lease whose holder a controller elects. No version is served by default.
 * https://kubernetes.io/docs/concepts/cluster-administration/coordinated-leader-election/
 * Source of its rules: pkg/registry/coordination/leasecandidate.
 */
export const leaseCandidateResource = defineResource<LeaseCandidate>({
  scope: 'Namespaced',
  versions: [v1beta1, v1alpha2, v1alpha1],
  hub: v1beta1,
  storage: { prefix: 'leasecandidates', version: v1beta1 },
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validateName: name => isConfigMapKey(name),
    validate: (next, old, { features: { release } }) =>
      isSince(release, '1.32') ? validateLeaseCandidate(next, old) : validateAlphaCandidate(next, old),
  },
})
