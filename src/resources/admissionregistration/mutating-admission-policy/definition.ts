import type { MutatingAdmissionPolicy } from '../../../api/admissionregistration/v1alpha1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { setMatchResourcesDefaults } from '../match-resources.ts'
import { checkParamKind, type ParamAccess } from '../param-access.ts'
import { staticNameWarnings, withStaticNames } from '../static-names.ts'
import { admissionVersion } from '../version.ts'
import { validateMutatingPolicy } from './validation.ts'

const table: TableDefinition<MutatingAdmissionPolicy> = {
  columns: [
    nameColumn,
    column('Mutations', 'Number of mutations.', 0, 'integer'),
    column('ParamKind', 'Kind of the parameters, if any.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? '',
    (spec.mutations ?? []).length,
    spec.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
    age(metadata.creationTimestamp, now),
  ],
}

const v1alpha1: Version<MutatingAdmissionPolicy> = {
  ...admissionVersion('MutatingAdmissionPolicy', { plural: 'mutatingadmissionpolicies', singular: 'mutatingadmissionpolicy' }, 'v1alpha1'),
  setDefaults(object) {
    object.spec.failurePolicy ??= 'Fail'
    setMatchResourcesDefaults(object.spec.matchConstraints)
  },
  table,
}

/** The other versions differ only in name. */
const policyVersion = (name: string): Version<MutatingAdmissionPolicy> => ({
  ...v1alpha1,
  ...admissionVersion('MutatingAdmissionPolicy', v1alpha1.names, name),
})

/**
 * Mutates objects by expressions once a binding refers to it (`admission/policies/mutating`). `params` is undefined if
 * authorization is disabled; then the author's access to parameters is not checked. Source of its rules:
 * pkg/registry/admissionregistration/mutatingadmissionpolicy.
 */
export const createMutatingAdmissionPolicyResource = (params?: ParamAccess): ResourceDefinition =>
  defineResource<MutatingAdmissionPolicy>({
    scope: 'Cluster',
    versions: [policyVersion('v1'), policyVersion('v1beta1'), v1alpha1],
    hub: v1alpha1,
    storage: { prefix: 'mutatingadmissionpolicies', version: v1alpha1 },
    strategy: {
      allowUnconditionalUpdate: false,
      metaRounds: ['whole'],
      plainFinalizers: true,
      prepare: prepareGeneration,
      validate: withStaticNames(validateMutatingPolicy),
      warnings: staticNameWarnings,
      ...(params && { evaluate: checkParamKind(params) }),
    },
  })
