import type { PodSchedulingGate, Toleration, TopologySpreadConstraint } from '../../../api/core/v1.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isLongStepDone, isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { labelSelectorErrors } from '../../../meta/label-selector.ts'
import { isQualifiedName, isValidLabelValue } from '../../../meta/names.ts'
import { NOT_POSITIVE, validateQualifiedName } from '../checks.ts'
import { validateTermLabelKeys } from './affinity.ts'

const ACTIONS = enumValues('core.UnsatisfiableConstraintAction')
const INCLUSION = enumValues('core.NodeInclusionPolicy')
const EFFECTS = enumValues('core.TaintEffect', 'NoSchedule', 'PreferNoSchedule')
const OPERATORS = enumValues('core.TolerationOperator')
const IN_BOTH = 'exists in both matchLabelKeys and labelSelector'

/** Key of a spread constraint, which must be unique. */
const pairOf = ({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string => JSON.stringify([topologyKey, whenUnsatisfiable])

/**
 * Validates topology spread constraints in steps. Topology key and `whenUnsatisfiable` must be unique together: all but
 * the last of such a group are duplicates. minDomains requires DoNotSchedule. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
export function* validateSpreadConstraints(
  constraints: readonly TopologySpreadConstraint[],
  path: FieldPath,
  options: SpreadOptions,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const lastPlace = new Map<string, number>()
  for (const [i, constraint] of constraints.entries()) {
    if (isStepDone()) yield
    lastPlace.set(pairOf(constraint), i)
  }
  for (const [i, constraint] of constraints.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { maxSkew, minDomains: minimum, topologyKey: key, whenUnsatisfiable: action } = constraint
    if (maxSkew <= 0) errors.push(invalid(at.child('maxSkew'), maxSkew, NOT_POSITIVE))
    if (key === '') errors.push(required(at.child('topologyKey'), 'can not be empty'))
    if (!ACTIONS.includes(action)) errors.push(notSupported(at.child('whenUnsatisfiable'), action, ACTIONS))
    if (lastPlace.get(pairOf(constraint)) !== i) errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${key}, ${action}}`))
    if (minimum !== undefined) {
      if (minimum <= 0) errors.push(invalid(at.child('minDomains'), minimum, NOT_POSITIVE))
      if (action !== 'DoNotSchedule') {
        errors.push(invalid(at.child('minDomains'), minimum, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`))
      }
    }
    for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint[field]
      if (policy !== undefined && !INCLUSION.includes(policy)) errors.push(notSupported(at.child(field), policy, INCLUSION))
    }
    errors.push(...validateSpreadKeys(constraint, at, options))
    if (!options.allowInvalidSpreadSelector)
      errors.push(...(yield* labelSelectorErrors(constraint.labelSelector ?? {}, at.child('labelSelector'))))
  }
  return errors
}

/** Rules of spread constraints that depend on gates and on the old spec. */
export interface SpreadOptions extends SpreadKeyRules {
  /** Whether an invalid selector is allowed, because the old spec has one. */
  readonly allowInvalidSpreadSelector: boolean
}

export interface SpreadKeyRules {
  /** Whether matchLabelKeys are merged into the selector, as in pod affinity. */
  readonly mergesSpreadKeys: boolean
  /** Whether matchLabelKeys need no selector, as before 1.27. */
  readonly allowSpreadKeysAlone: boolean
}

/** Validates the matchLabelKeys of a constraint. */
export function validateSpreadKeys(constraint: TopologySpreadConstraint, path: FieldPath, rules: SpreadKeyRules): FieldError[] {
  if (!constraint.matchLabelKeys?.length) return []
  return rules.mergesSpreadKeys
    ? validateTermLabelKeys(constraint, path)
    : validateMatchLabelKeys(constraint, path.child('matchLabelKeys'), rules.allowSpreadKeysAlone)
}

/** If keys are not merged into the selector, any key that is in both is a conflict. */
function validateMatchLabelKeys(constraint: TopologySpreadConstraint, path: FieldPath, needNoSelector: boolean): FieldError[] {
  const errors: FieldError[] = []
  const selector = constraint.labelSelector
  const selected = new Set<string>([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(expression => expression.key),
  ])
  if (!selector && !needNoSelector) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'))
  constraint.matchLabelKeys?.forEach((key, i) => {
    errors.push(...validateQualifiedName(key, path.index(i)))
    if (selected.has(key)) errors.push(invalid(path.index(i), key, IN_BOTH))
  })
  return errors
}

/** Validates the effect of a toleration or taint. A taint's effect may not be empty. */
export function validateTaintEffect(effect: string, path: FieldPath): FieldError[] {
  return !EFFECTS.includes(effect) ? [notSupported(path, effect, EFFECTS)] : []
}

/**
 * Validates tolerations in steps. The operator must fit the value, and tolerationSeconds needs the effect NoExecute. An
 * empty key needs Exists and matches all keys; an empty effect is allowed. Upstream reports errors in the value for
 * `operator`. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateTolerations(tolerations: readonly Toleration[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, toleration] of tolerations.entries()) {
    if (isLongStepDone()) yield
    const at = path.index(i)
    const { key = '', operator = '', value = '', effect = '' } = toleration
    if (key !== '') for (const text of isQualifiedName(key)) errors.push(invalid(at.child('key'), key, text))
    else if (operator !== 'Exists') {
      errors.push(
        invalid(at.child('operator'), operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"'),
      )
    }
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(at.child('effect'), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
    }
    if (operator === '' || operator === 'Equal') {
      const texts = isValidLabelValue(value)
      if (texts.length > 0) errors.push(invalid(at.child('operator'), value, texts.join(';')))
    } else if (operator === 'Exists') {
      if (value !== '') errors.push(invalid(at.child('operator'), value, "value must be empty when `operator` is 'Exists'"))
    } else errors.push(notSupported(at.child('operator'), operator, OPERATORS))
    if (effect !== '') errors.push(...validateTaintEffect(effect, at.child('effect')))
  }
  return errors
}

/** Checks in steps that scheduling gates are unique qualified names. Before 1.27 any name is accepted. */
export function* validateSchedulingGates(gates: readonly PodSchedulingGate[], path: FieldPath, release: Release): Steps<FieldError[]> {
  const anyName = !isSince(release, '1.27')
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { name }] of gates.entries()) {
    if (isLongStepDone()) yield
    if (!anyName) errors.push(...validateQualifiedName(name, path.index(i)))
    else if (name === '') errors.push(required(path.index(i), 'must not be empty'))
    if (seen.has(name)) errors.push(duplicate(path.index(i), name))
    seen.add(name)
  }
  return errors
}
