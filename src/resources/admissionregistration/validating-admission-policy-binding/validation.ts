import { repeats } from '../../../lib/repeats.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { goStringList } from '../../shared/go-syntax.ts'
import { validateMatchResources } from '../match-resources.ts'
import { validateParamRef } from '../param-ref.ts'
import { validatePolicyName } from '../policy-validation.ts'

const ACTIONS = ['Audit', 'Deny', 'Warn']
const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'

function validateActions(actions: readonly string[], path: FieldPath): FieldError[] {
  if (actions.length === 0) return [required(path, 'at least one validation action is required')]
  const again = repeats(actions)
  const errors = actions.flatMap((action, i) => [
    ...(ACTIONS.includes(action) ? [] : [notSupported(path.index(i), action, ACTIONS)]),
    ...(again[i] ? [duplicate(path.index(i), action)] : []),
  ])
  if (actions.includes('Deny') && actions.includes('Warn')) {
    errors.push(invalid(path, goStringList(actions, '[]admissionregistration.ValidationAction'), DENY_AND_WARN))
  }
  return errors
}

export function validatePolicyBinding({ spec = {} }: KubeObject): FieldError[] {
  const path = fieldPath('spec')
  return [
    ...validatePolicyName(spec.policyName ?? '', path.child('policyName')),
    ...validateParamRef(spec.paramRef, path.child('paramRef')),
    ...validateMatchResources(spec.matchResources, path.child('matchResources')),
    ...validateActions(spec.validationActions ?? [], path.child('validationActions')),
  ]
}
