import type { MutatingAdmissionPolicyBinding } from '../../../api/admissionregistration/v1alpha1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { MUTATING_POLICIES } from '../../kinds.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { bindingTable } from '../binding-table.ts'
import { setMatchResourcesDefaults, validateMatchResources } from '../match-resources.ts'
import { validateMutatingOperations } from '../mutating-admission-policy/operations.ts'
import { checkParamRef, type ParamAccess } from '../param-access.ts'
import { validateParamRef } from '../param-ref.ts'
import { validatePolicyName } from '../policy-validation.ts'
import { staticNameWarnings, withStaticNames } from '../static-names.ts'
import { admissionVersion } from '../version.ts'

function* validateBinding({ spec }: MutatingAdmissionPolicyBinding): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const match = path.child('matchResources')
  return [
    ...validatePolicyName(spec.policyName ?? '', path.child('policyName')),
    ...(yield* validateParamRef(spec.paramRef, path.child('paramRef'))),
    ...(yield* validateMatchResources(spec.matchResources, match)),
    ...(yield* validateMutatingOperations(spec.matchResources, match)),
  ]
}

const v1alpha1: Version<MutatingAdmissionPolicyBinding> = {
  ...admissionVersion(
    'MutatingAdmissionPolicyBinding',
    { plural: 'mutatingadmissionpolicybindings', singular: 'mutatingadmissionpolicybinding' },
    'v1alpha1',
  ),
  setDefaults({ spec }) {
    setMatchResourcesDefaults(spec.matchResources)
    if (spec.paramRef) spec.paramRef.parameterNotFoundAction ??= 'Deny'
  },
  table: bindingTable,
}

/** The other versions differ only in name. */
const bindingVersion = (name: string): Version<MutatingAdmissionPolicyBinding> => ({
  ...v1alpha1,
  ...admissionVersion('MutatingAdmissionPolicyBinding', v1alpha1.names, name),
})

/**
 * Enables a mutating admission policy. Not served by default. `params` is undefined if authorization is disabled; then
 * the author's access to parameters is not checked. Source of its rules:
 * pkg/registry/admissionregistration/mutatingadmissionpolicybinding.
 */
export const createMutatingAdmissionPolicyBindingResource = (params?: ParamAccess): ResourceDefinition =>
  defineResource<MutatingAdmissionPolicyBinding>({
    scope: 'Cluster',
    versions: [bindingVersion('v1'), bindingVersion('v1beta1'), v1alpha1],
    hub: v1alpha1,
    storage: { prefix: 'mutatingadmissionpolicybindings', version: v1alpha1 },
    strategy: {
      allowUnconditionalUpdate: false,
      metaRounds: ['whole'],
      plainFinalizers: true,
      prepare: prepareGeneration,
      validate: withStaticNames(validateBinding),
      warnings: staticNameWarnings,
      ...(params && {
        evaluate: checkParamRef(params, MUTATING_POLICIES, (user, verb) => `user ${verb} does not have "${user}" permission`),
      }),
    },
  })
