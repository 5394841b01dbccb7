import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'
import { setMatchResourcesDefaults } from '../match-resources.ts'
import { admissionVersion } from '../version.ts'
import { policyStatusStrategy, policyStrategy } from './strategy.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Validations', 'How many validations it has.', 0, 'integer'),
    column('ParamKind', 'Kind of its parameters, if it has any.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    (spec?.validations ?? []).length,
    spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
    age(metadata.creationTimestamp, now),
  ],
}

const v1: Version = {
  ...admissionVersion('ValidatingAdmissionPolicy', { plural: 'validatingadmissionpolicies', singular: 'validatingadmissionpolicy' }),
  setDefaults(object) {
    object.spec ??= {}
    object.spec.failurePolicy ??= 'Fail'
    setMatchResourcesDefaults(object.spec.matchConstraints)
  },
  table,
  subresources: { status: { verbs: STATUS_VERBS, strategy: policyStatusStrategy } },
}

/** Differs from v1 in nothing but its name. */
const v1beta1: Version = { ...v1, name: 'v1beta1', schema: types.type('admissionregistrationV1beta1.ValidatingAdmissionPolicy') }

export const validatingAdmissionPolicyResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1, v1beta1],
  home: v1,
  storage: { prefix: 'validatingadmissionpolicies', version: v1 },
  strategy: policyStrategy,
}
