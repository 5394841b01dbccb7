import type { LabelSelector } from '../../../api/meta/v1.types.ts'
import type { PodDisruptionBudget } from '../../../api/policy/v1.types.ts'
import type { PodDisruptionBudget as PodDisruptionBudgetV1beta1 } from '../../../api/policy/v1beta1.types.ts'
import { deepEqual } from '../../../meta/equal.ts'

/** Label that no pod has. An expression with it represents the empty selector of one version in the other. */
const LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

const EMPTY: LabelSelector = {}
/** The empty selector of v1beta1 in v1. It matches no pods. */
const NONE_IN_V1: LabelSelector = { matchExpressions: [{ key: LABEL, operator: 'Exists' }] }
/** The empty selector of v1 in v1beta1. It matches all pods. */
const ALL_IN_V1BETA1: LabelSelector = { matchExpressions: [{ key: LABEL, operator: 'DoesNotExist' }] }

/** Removes the label from a selector with other expressions, in which it has no meaning. */
function withoutLabel({ matchExpressions = [], ...selector }: LabelSelector): LabelSelector {
  const kept = matchExpressions.filter(({ key }) => key !== LABEL)
  return { ...selector, ...(kept.length > 0 && { matchExpressions: kept }) }
}

/** Compares selectors. Empty matchLabels equal absent ones: `{"matchLabels": {}}` is the empty selector, too. */
const isSameSelector = ({ matchLabels = {}, ...selector }: LabelSelector, other: LabelSelector): boolean =>
  deepEqual(Object.keys(matchLabels).length > 0 ? { matchLabels, ...selector } : selector, other)

const hasLabel = ({ matchExpressions = [] }: LabelSelector): boolean => matchExpressions.some(({ key }) => key === LABEL)

function selectorToV1(selector: LabelSelector): LabelSelector {
  if (isSameSelector(selector, EMPTY)) return NONE_IN_V1
  return isSameSelector(selector, ALL_IN_V1BETA1) ? EMPTY : withoutLabel(selector)
}

function selectorFromV1(selector: LabelSelector): LabelSelector {
  if (isSameSelector(selector, NONE_IN_V1)) return EMPTY
  return isSameSelector(selector, EMPTY) ? ALL_IN_V1BETA1 : selector
}

/**
 * Removes the label from selectors that are written in v1, except for the one that represents the empty selector of
 * v1beta1.
 */
export function dropSelectorLabel({ spec }: PodDisruptionBudget): void {
  const { selector } = spec
  if (selector && hasLabel(selector) && !isSameSelector(selector, NONE_IN_V1)) spec.selector = withoutLabel(selector)
}

/**
 * Converts policy/v1beta1 to v1. They differ in the empty selector, which matches no pods in v1beta1 and all pods in
 * v1. Source: pkg/apis/policy/v1beta1 in k8s.io/kubernetes.
 */
export const budgetToV1 = ({ spec, ...budget }: PodDisruptionBudgetV1beta1): PodDisruptionBudget => ({
  ...budget,
  spec: spec.selector ? { ...spec, selector: selectorToV1(spec.selector) } : spec,
})

/** Converts policy/v1 to v1beta1. */
export const fromV1 = ({ spec, ...budget }: PodDisruptionBudget): PodDisruptionBudgetV1beta1 => ({
  ...budget,
  spec: spec.selector ? { ...spec, selector: selectorFromV1(spec.selector) } : spec,
})
