import type { MutatingAdmissionPolicy, Mutation } from '../../../api/admissionregistration/v1alpha1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { APPLY_CONFIGURATION, JSON_PATCH } from '../../../cel/admission-environment.ts'
import type { Type } from '../../../cel/type.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { oldestReader } from '../../shared/oldest-reader.ts'
import { storedTexts, validateExpression } from '../expressions.ts'
import { REINVOCATION_POLICIES } from '../policies.ts'
import { validatePolicyConditions, validatePolicyStart } from '../policy-validation.ts'
import { validateVariables } from '../variables.ts'
import { validateMutatingOperations } from './operations.ts'

const PATCH_TYPES = enumValues('admissionregistration.PatchType')

/** Validates a mutation. `patchType` selects applyConfiguration or jsonPatch; the other must be unset. */
function* validateMutation({ patchType, applyConfiguration, jsonPatch }: Mutation, use: MutationUse, path: FieldPath): Steps<FieldError[]> {
  const configurationAt = path.child('applyConfiguration')
  const patchAt = path.child('jsonPatch')
  const stray = (at: FieldPath, member: string): FieldError =>
    invalid(at, `{${member}}`, `must not be specified when patchType is ${patchType}`)
  const missing = (at: FieldPath): FieldError => required(at, `must be specified when patchType is ${patchType}`)
  switch (patchType) {
    case '':
      return [required(path.child('patchType'))]
    case 'ApplyConfiguration':
      return [
        ...(applyConfiguration
          ? yield* validatePatch(applyConfiguration.expression ?? '', APPLY_CONFIGURATION, use, configurationAt.child('expression'))
          : [missing(configurationAt)]),
        ...(jsonPatch ? [stray(patchAt, 'jsonPatch')] : []),
      ]
    case 'JSONPatch':
      return [
        ...(jsonPatch
          ? yield* validatePatch(jsonPatch.expression ?? '', JSON_PATCH, use, patchAt.child('expression'))
          : [missing(patchAt)]),
        ...(applyConfiguration ? [stray(configurationAt, 'applyConfiguration')] : []),
      ]
    default:
      return [notSupported(path.child('patchType'), patchType, PATCH_TYPES)]
  }
}

/** Variables that mutations may use, and the apply configurations of the old object. */
interface MutationUse {
  readonly params: boolean
  readonly variables: ReadonlyMap<string, Type>
  readonly stored: ReadonlySet<string>
  readonly features: Features
}

/** Validates the expression of a mutation. `result` is its required type, which depends on the patch type. */
function* validatePatch(
  expression: string,
  result: Type,
  { stored, features, ...parts }: MutationUse,
  path: FieldPath,
): Steps<FieldError[]> {
  const text = expression.trim()
  if (text === '') return [required(path)]
  const use = { ...parts, authorizer: true, patches: true, results: [result], minor: oldestReader(features, stored.has(expression)) }
  return yield* validateExpression(text, use, path)
}

/**
 * Validates a policy. Each expression takes several steps, as a request may have many. Stored expressions of conditions
 * and apply configurations may use functions of any release. Source: pkg/apis/admissionregistration/validation in
 * k8s.io/kubernetes.
 */
export function* validateMutatingPolicy(
  next: MutatingAdmissionPolicy,
  old: MutatingAdmissionPolicy | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const { spec } = next
  const mutations = spec.mutations ?? []
  // Filled by `validateVariables`, which runs before mutations are validated.
  const variables = new Map<string, Type>()
  const params = Boolean(spec.paramKind)
  const applied = (old?.spec.mutations ?? []).flatMap(({ applyConfiguration }) => applyConfiguration ?? [])
  const use: MutationUse = { params, variables, stored: storedTexts(applied, 'expression'), features }
  const errors = [
    ...(yield* validatePolicyStart(spec, path)),
    ...(yield* validateMutatingOperations(spec.matchConstraints, path.child('matchConstraints'))),
    ...(yield* validatePolicyConditions(next, old, features, path)),
    ...(yield* validateVariables(spec.variables, { params, stored: new Set(), features }, variables, path.child('variables'))),
  ]
  for (const [i, mutation] of mutations.entries()) {
    errors.push(...(yield* validateMutation(mutation, use, path.child('mutations').index(i))))
    yield
  }
  if (mutations.length === 0) errors.push(required(path.child('mutations'), 'mutations must contain at least one item'))
  const policy = spec.reinvocationPolicy ?? ''
  const at = path.child('reinvocationPolicy')
  if (policy === '') errors.push(required(at))
  else if (!REINVOCATION_POLICIES.includes(policy)) errors.push(notSupported(at, policy, REINVOCATION_POLICIES))
  return errors
}
