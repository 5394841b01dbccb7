import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { setMatchResourcesDefaults } from '../match-resources.ts'
import { admissionVersion } from '../version.ts'
import { validateMutatingPolicy } from './validation.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('Mutations', 'How many changes it makes.', 0, 'integer'),
    column('ParamKind', 'Kind of its parameters, if it has any.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    (spec?.mutations ?? []).length,
    spec?.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
    age(metadata.creationTimestamp, now),
  ],
}

const v1alpha1: Version = {
  ...admissionVersion('MutatingAdmissionPolicy', { plural: 'mutatingadmissionpolicies', singular: 'mutatingadmissionpolicy' }, 'v1alpha1'),
  setDefaults(object) {
    object.spec ??= {}
    object.spec.failurePolicy ??= 'Fail'
    setMatchResourcesDefaults(object.spec.matchConstraints)
  },
  table,
}

export const mutatingAdmissionPolicyResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1alpha1],
  home: v1alpha1,
  storage: { prefix: 'mutatingadmissionpolicies', version: v1alpha1 },
  strategy: { allowUnconditionalUpdate: false, revalidatesMeta: true, prepare: prepareGeneration, validate: validateMutatingPolicy },
}
