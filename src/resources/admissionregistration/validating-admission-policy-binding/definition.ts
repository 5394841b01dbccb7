import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { types } from '../../types.ts'
import { bindingTable } from '../binding-table.ts'
import { setMatchResourcesDefaults } from '../match-resources.ts'
import { admissionVersion } from '../version.ts'
import { validatePolicyBinding } from './validation.ts'

const v1: Version = {
  ...admissionVersion('ValidatingAdmissionPolicyBinding', {
    plural: 'validatingadmissionpolicybindings',
    singular: 'validatingadmissionpolicybinding',
  }),
  setDefaults: ({ spec }) => setMatchResourcesDefaults(spec?.matchResources),
  table: bindingTable,
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
