import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { deepEqual } from '../../meta/equal.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../meta/names.ts'
import { storedTexts } from './expressions.ts'
import { validateMatchConditions } from './match-conditions.ts'
import { validateMatchResources } from './match-resources.ts'
import { validateParamKind } from './param-kind.ts'
import { FAILURE_POLICIES } from './policies.ts'
import type { MatchCondition, MatchResources, ParamKind } from './v1.types.ts'

/** What policies of all kinds have. */
interface PolicySpec {
  readonly failurePolicy?: string
  readonly paramKind?: ParamKind
  readonly matchConstraints?: MatchResources
  readonly matchConditions?: readonly MatchCondition[]
}

interface Policy {
  readonly spec: PolicySpec
}

/** What the specs of all policies begin with: failure policy, kind of parameters and matched requests. */
export function validatePolicyStart({ failurePolicy, paramKind, matchConstraints }: PolicySpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (failurePolicy === undefined) errors.push(required(path.child('failurePolicy')))
  else if (!FAILURE_POLICIES.includes(failurePolicy)) errors.push(notSupported(path.child('failurePolicy'), failurePolicy, FAILURE_POLICIES))
  if (paramKind) errors.push(...validateParamKind(paramKind, path.child('paramKind')))
  const at = path.child('matchConstraints')
  if (!matchConstraints) return [...errors, required(at)]
  errors.push(...validateMatchResources(matchConstraints, at))
  if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(required(at.child('resourceRules')))
  return errors
}

/** Conditions that an update leaves as they are, with the parameters that they may use, are not looked at. */
export function* validatePolicyConditions({ spec }: Policy, old: Policy | undefined, features: Features, path: FieldPath): Steps<FieldError[]> {
  const stay = old && deepEqual(spec.paramKind, old.spec.paramKind) && deepEqual(spec.matchConditions, old.spec.matchConditions)
  if (stay) return []
  const use = { params: Boolean(spec.paramKind), stored: storedTexts(old?.spec.matchConditions, 'expression'), features }
  return yield* validateMatchConditions(spec.matchConditions, use, path.child('matchConditions'))
}

/** The name of the policy, which a binding to any kind of policy has. */
export function validatePolicyName(name: string, path: FieldPath): FieldError[] {
  return name === '' ? [required(path)] : nameIsDnsSubdomain(name, false).map(text => invalid(path, name, text))
}
