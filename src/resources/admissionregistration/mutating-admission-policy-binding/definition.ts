import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { prepareGeneration } from '../../networking/spec-generation.ts'
import { bindingTable } from '../binding-table.ts'
import { setMatchResourcesDefaults, validateMatchResources } from '../match-resources.ts'
import { validateMutatingOperations } from '../mutating-admission-policy/operations.ts'
import { validateParamRef } from '../param-ref.ts'
import { validatePolicyName } from '../policy-validation.ts'
import { admissionVersion } from '../version.ts'

function validate({ spec = {} }: KubeObject): FieldError[] {
  const path = fieldPath('spec')
  const match = path.child('matchResources')
  return [
    ...validatePolicyName(spec.policyName ?? '', path.child('policyName')),
    ...validateParamRef(spec.paramRef, path.child('paramRef')),
    ...validateMatchResources(spec.matchResources, match),
    ...validateMutatingOperations(spec.matchResources, match),
  ]
}

const v1alpha1: Version = {
  ...admissionVersion('MutatingAdmissionPolicyBinding', { plural: 'mutatingadmissionpolicybindings', singular: 'mutatingadmissionpolicybinding' }, 'v1alpha1'),
  setDefaults({ spec }) {
    setMatchResourcesDefaults(spec?.matchResources)
    if (spec?.paramRef) spec.paramRef.parameterNotFoundAction ??= 'Deny'
  },
  table: bindingTable,
}

export const mutatingAdmissionPolicyBindingResource: ResourceDefinition = {
  scope: 'Cluster',
  versions: [v1alpha1],
  home: v1alpha1,
  storage: { prefix: 'mutatingadmissionpolicybindings', version: v1alpha1 },
  strategy: { allowUnconditionalUpdate: false, revalidatesMeta: true, prepare: prepareGeneration, validate },
}
