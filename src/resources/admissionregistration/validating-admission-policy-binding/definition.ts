import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { age } from '../../age.ts'
import { ageColumn, column, nameColumn } from '../../columns.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { types } from '../../types.ts'
import { setMatchResourcesDefaults } from '../match-resources.ts'
import { paramRefCell } from '../param-ref.ts'
import { admissionVersion } from '../version.ts'
import { validatePolicyBinding } from './validation.ts'

const table: TableDefinition = {
  columns: [
    nameColumn,
    column('PolicyName', 'The policy that it puts into force.'),
    column('ParamRef', 'The objects that parameterize the policy.'),
    ageColumn,
  ],
  cells: ({ metadata, spec }, now) => [metadata.name ?? '', spec?.policyName ?? '', paramRefCell(spec?.paramRef), age(metadata.creationTimestamp, now)],
}

const v1: Version = {
  ...admissionVersion('ValidatingAdmissionPolicyBinding', {
    plural: 'validatingadmissionpolicybindings',
    singular: 'validatingadmissionpolicybinding',
  }),
  setDefaults: ({ spec }) => setMatchResourcesDefaults(spec?.matchResources),
  table,
}

/** Differs from v1 in nothing but its name. */
const v1beta1: Version = { ...v1, name: 'v1beta1', schema: types.type('admissionregistrationV1beta1.ValidatingAdmissionPolicyBinding') }

export const validatingAdmissionPolicyBindingResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1, v1beta1],
  home: v1,
  storage: { prefix: 'validatingadmissionpolicybindings', version: v1 },
  strategy: { allowUnconditionalUpdate: false, revalidatesMeta: true, prepare: prepareGeneration, validate: validatePolicyBinding },
}
