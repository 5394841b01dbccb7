import type { MatchCondition, MatchResources, ParamKind } from '../../api/admissionregistration/v1.types.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { deepEqual } from '../../meta/equal.ts'
import { appendErrors, covered, type FieldError, invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { isDns1035Label, isDns1123Subdomain, nameIsDnsSubdomain } from '../../meta/names.ts'
import { storedTexts } from './expressions.ts'
import { validateMatchConditions } from './match-conditions.ts'
import { validateMatchResources } from './match-resources.ts'
import { FAILURE_POLICIES } from './policies.ts'

/** Combines messages into one error, separated by commas and preceded by `before`. */
const joinedError = (value: string, texts: readonly string[], path: FieldPath, before = ''): FieldError[] =>
  texts.length > 0 ? [invalid(path, value, before + texts.join(','))] : []

/** Checks `version` or `group/version`. A single slash lacks the version. */
function validateApiVersion(text: string, path: FieldPath): FieldError[] {
  if (text === '') return [required(path)]
  const parts = text === '/' ? [] : text.split('/')
  if (parts.length > 2) return [invalid(path, text, `unexpected GroupVersion string: ${text}`)]
  const version = parts.at(-1) ?? ''
  const group = parts.length === 2 ? (parts[0] ?? '') : ''
  const errors = group === '' ? [] : joinedError(group, isDns1123Subdomain(group), path)
  return [
    ...errors,
    ...(version === '' ? [invalid(path, text, 'version must be specified')] : joinedError(version, isDns1035Label(version), path)),
  ]
}

/** Checks the kind of a policy's parameters. The kind need not exist. */
function validateParamKind({ apiVersion = '', kind = '' }: ParamKind, path: FieldPath): FieldError[] {
  const errors = validateApiVersion(apiVersion, path.child('apiVersion'))
  const at = path.child('kind')
  if (kind === '') return [...errors, required(at)]
  return [...errors, ...joinedError(kind, isDns1035Label(kind.toLowerCase()), at, 'may have mixed case, but should otherwise match: ')]
}

/** Fields that the specs of all policies have. */
interface PolicySpec {
  /** Required after defaulting. */
  readonly failurePolicy?: string
  /** Optional. Kind of the parameters of bindings. Expressions have `params` only if it is set. */
  readonly paramKind?: ParamKind
  /** Required, with at least one resource rule. */
  readonly matchConstraints?: MatchResources
  /** Optional. Expressions that must all be true for a request to be checked. */
  readonly matchConditions?: readonly MatchCondition[]
}

/** Part of a policy that the rules for match conditions need. */
interface PolicyObject {
  readonly spec: PolicySpec
}

/** Validates the first fields of every policy: failure policy, kind of parameters and matched requests. */
export function* validatePolicyStart({ failurePolicy, paramKind, matchConstraints }: PolicySpec, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  if (failurePolicy === undefined) errors.push(required(path.child('failurePolicy')))
  else if (!FAILURE_POLICIES.includes(failurePolicy))
    errors.push(notSupported(path.child('failurePolicy'), failurePolicy, FAILURE_POLICIES))
  if (paramKind) errors.push(...validateParamKind(paramKind, path.child('paramKind')))
  const at = path.child('matchConstraints')
  if (!matchConstraints) return [...errors, required(at)]
  appendErrors(errors, yield* validateMatchResources(matchConstraints, at))
  if ((matchConstraints.resourceRules ?? []).length === 0) errors.push(required(at.child('resourceRules')))
  return errors
}

/**
 * Validates match conditions. If an update changes neither them nor the kind of parameters that they may use, they are
 * not compiled again.
 */
export function* validatePolicyConditions(
  { spec }: PolicyObject,
  old: PolicyObject | undefined,
  features: Features,
  path: FieldPath,
): Steps<FieldError[]> {
  const stay = old && deepEqual(spec.paramKind, old.spec.paramKind) && deepEqual(spec.matchConditions, old.spec.matchConditions)
  if (stay) return []
  const use = { params: Boolean(spec.paramKind), stored: storedTexts(old?.spec.matchConditions, 'expression'), features }
  return yield* validateMatchConditions(spec.matchConditions, use, path.child('matchConditions'))
}

/** Validates the name of the policy in a binding. */
export function validatePolicyName(name: string, path: FieldPath): FieldError[] {
  return name === '' ? covered('', [required(path)]) : nameIsDnsSubdomain(name, false).map(text => invalid(path, name, text))
}
