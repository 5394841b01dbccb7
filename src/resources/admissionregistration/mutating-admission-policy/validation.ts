import { APPLY_CONFIGURATION, JSON_PATCH } from '../../../cel/admission-environment.ts'
import type { Type } from '../../../cel/type.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { storedTexts, validateExpression } from '../expressions.ts'
import { REINVOCATION_POLICIES } from '../policies.ts'
import { validatePolicyConditions, validatePolicyStart } from '../policy-validation.ts'
import { validateVariables } from '../variables.ts'
import { validateMutatingOperations } from './operations.ts'

type ApiStruct = KubeObject['spec']

/** Types of a patch, and the members that hold one. */
const MEMBERS: Readonly<Record<string, readonly [own: string, other: string]>> = {
  ApplyConfiguration: ['applyConfiguration', 'jsonPatch'],
  JSONPatch: ['jsonPatch', 'applyConfiguration'],
}

/** What each type of patch is made of: the result that its expression must give. */
const RESULTS: Readonly<Record<string, Type>> = { ApplyConfiguration: APPLY_CONFIGURATION, JSONPatch: JSON_PATCH }

function validateMutation(mutation: ApiStruct, use: MutationUse, path: FieldPath): FieldError[] {
  const type: string = mutation.patchType ?? ''
  if (type === '') return [required(path.child('patchType'))]
  const members = MEMBERS[type]
  if (members === undefined) return [notSupported(path.child('patchType'), type, Object.keys(MEMBERS))]
  const [own, other] = members
  const errors: FieldError[] = []
  if (!mutation[own]) errors.push(required(path.child(own), `must be specified when patchType is ${type}`))
  else errors.push(...validatePatch(mutation[own].expression ?? '', RESULTS[type]!, use, path.child(own, 'expression')))
  if (mutation[other]) errors.push(invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${type}`))
  return errors
}

/** What mutations may speak of, and the expressions of apply configurations that the old object has. */
interface MutationUse {
  readonly params: boolean
  readonly variables: ReadonlyMap<string, Type>
  readonly stored: ReadonlySet<string>
}

function validatePatch(expression: string, result: Type, { stored, ...parts }: MutationUse, path: FieldPath): FieldError[] {
  const text = expression.trim()
  if (text === '') return [required(path)]
  return validateExpression(text, { ...parts, authorizer: true, patches: true, results: [result], stored: stored.has(expression) }, path)
}

export function validateMutatingPolicy(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const spec: ApiStruct = next.spec ?? {}
  const mutations: ApiStruct[] = spec.mutations ?? []
  const variables = new Map<string, Type>()
  const params = Boolean(spec.paramKind)
  const applied = (old?.spec?.mutations ?? []).flatMap(({ applyConfiguration }: ApiStruct) => applyConfiguration ?? [])
  const use: MutationUse = { params, variables, stored: storedTexts(applied, 'expression') }
  const errors = [
    ...validatePolicyStart(spec, path),
    ...validateMutatingOperations(spec.matchConstraints, path.child('matchConstraints')),
    ...validatePolicyConditions(next, old, path),
    ...validateVariables(spec.variables, params, new Set(), variables, path.child('variables')),
    ...mutations.flatMap((mutation, i) => validateMutation(mutation, use, path.child('mutations').index(i))),
  ]
  if (mutations.length === 0) errors.push(required(path.child('mutations'), 'mutations must contain at least one item'))
  const policy: string = spec.reinvocationPolicy ?? ''
  const at = path.child('reinvocationPolicy')
  if (policy === '') errors.push(required(at))
  else if (!REINVOCATION_POLICIES.includes(policy)) errors.push(notSupported(at, policy, REINVOCATION_POLICIES))
  return errors
}
