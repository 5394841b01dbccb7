import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
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

/** Presence of the expression; whether it compiles waits for a compiler of CEL. */
function validateMutation(mutation: ApiStruct, path: FieldPath): FieldError[] {
  const type: string = mutation.patchType ?? ''
  if (type === '') return [required(path.child('patchType'))]
  const members = MEMBERS[type]
  if (members === undefined) return [notSupported(path.child('patchType'), type, Object.keys(MEMBERS))]
  const [own, other] = members
  const errors: FieldError[] = []
  if (!mutation[own]) errors.push(required(path.child(own), `must be specified when patchType is ${type}`))
  else if ((mutation[own].expression ?? '').trim() === '') errors.push(required(path.child(own, 'expression')))
  if (mutation[other]) errors.push(invalid(path.child(other), `{${other}}`, `must not be specified when patchType is ${type}`))
  return errors
}

export function validateMutatingPolicy(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('spec')
  const spec: ApiStruct = next.spec ?? {}
  const mutations: ApiStruct[] = spec.mutations ?? []
  const errors = [
    ...validatePolicyStart(spec, path),
    ...validateMutatingOperations(spec.matchConstraints, path.child('matchConstraints')),
    ...validatePolicyConditions(next, old, path),
    ...validateVariables(spec.variables, path.child('variables')),
    ...mutations.flatMap((mutation, i) => validateMutation(mutation, path.child('mutations').index(i))),
  ]
  if (mutations.length === 0) errors.push(required(path.child('mutations'), 'mutations must contain at least one item'))
  const policy: string = spec.reinvocationPolicy ?? ''
  const at = path.child('reinvocationPolicy')
  if (policy === '') errors.push(required(at))
  else if (!REINVOCATION_POLICIES.includes(policy)) errors.push(notSupported(at, policy, REINVOCATION_POLICIES))
  return errors
}
