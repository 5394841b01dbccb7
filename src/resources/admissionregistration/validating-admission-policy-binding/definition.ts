import type { ValidatingAdmissionPolicyBinding } from '../../../api/admissionregistration/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues, types } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { covered, duplicate, type FieldError, invalid, notSupported, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { uniqueItemErrors } from '../../../meta/item-errors.ts'
import { VALIDATING_POLICIES } from '../../kinds.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { bindingTable, earlyBindingTable } from '../binding-table.ts'
import { setMatchResourcesDefaults, validateMatchResources } from '../match-resources.ts'
import { checkParamRef, type ParamAccess } from '../param-access.ts'
import { validateParamRef } from '../param-ref.ts'
import { validatePolicyName } from '../policy-validation.ts'
import { staticNameWarnings, withStaticNames } from '../static-names.ts'
import { admissionVersion } from '../version.ts'

const ACTIONS = enumValues('admissionregistration.ValidationAction')
const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

/**
 * Validates the actions: at least one, without duplicates. Deny and Warn together would report a failure twice; Audit
 * can be combined with either.
 */
function* validateActions(actions: readonly string[], path: FieldPath): Steps<FieldError[]> {
  if (actions.length === 0) return covered('', [required(path, 'at least one validation action is required')])
  const errors = yield* uniqueItemErrors(
    actions,
    path,
    (action, at) => (ACTIONS.includes(action) ? [] : [notSupported(at, action, ACTIONS)]),
    (action, at) => duplicate(at, action),
  )
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(invalid(path, goStringList(actions, '[]admissionregistration.ValidationAction'), DENY_AND_WARN))
  }
  return errors
}

/** 1.26 has no actions: every failure denies the request. */
function* validatePolicyBinding({ spec }: ValidatingAdmissionPolicyBinding, _old: unknown, { features }: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  return [
    ...validatePolicyName(spec.policyName ?? '', path.child('policyName')),
    ...(yield* validateParamRef(spec.paramRef, path.child('paramRef'), features.release)),
    ...(yield* validateMatchResources(spec.matchResources, path.child('matchResources'))),
    ...(isSince(features.release, '1.27') ? yield* validateActions(spec.validationActions ?? [], path.child('validationActions')) : []),
  ]
}

const v1: Version<ValidatingAdmissionPolicyBinding> = {
  ...admissionVersion('ValidatingAdmissionPolicyBinding', {
    plural: 'validatingadmissionpolicybindings',
    singular: 'validatingadmissionpolicybinding',
  }),
  setDefaults: ({ spec }) => setMatchResourcesDefaults(spec.matchResources),
  table: bindingTable,
  tableIn: release => (isSince(release, '1.28') ? bindingTable : earlyBindingTable),
}

/** Differs from v1 only in name. */
const v1beta1: Version<ValidatingAdmissionPolicyBinding> = {
  ...v1,
  name: 'v1beta1',
  schema: types.type('admissionregistrationV1beta1.ValidatingAdmissionPolicyBinding'),
}

/** The version of releases 1.26 to 1.31. */
const v1alpha1: Version<ValidatingAdmissionPolicyBinding> = {
  ...v1,
  name: 'v1alpha1',
  schema: types.type('admissionregistrationV1alpha1.ValidatingAdmissionPolicyBinding'),
  listSchema: types.type('admissionregistrationV1alpha1.ValidatingAdmissionPolicyBindingList'),
}

/**
 * Enables a policy for all or some of the requests that it matches, with parameters if it uses any. `params` is
 * undefined if authorization is disabled; then the author's access to parameters is not checked. Source of its rules:
 * pkg/registry/admissionregistration/validatingadmissionpolicybinding.
 */
export const createValidatingAdmissionPolicyBindingResource = (params?: ParamAccess): ResourceDefinition =>
  defineResource<ValidatingAdmissionPolicyBinding>({
    scope: 'Cluster',
    versions: [v1, v1beta1, v1alpha1],
    hub: v1,
    storage: { prefix: 'validatingadmissionpolicybindings', version: v1 },
    strategy: {
      allowUnconditionalUpdate: false,
      metaRounds: ['whole'],
      plainFinalizers: true,
      prepare: prepareGeneration,
      validate: withStaticNames(validatePolicyBinding),
      warnings: staticNameWarnings,
      ...(params && { evaluate: checkParamRef(params, VALIDATING_POLICIES) }),
    },
  })
