import { deepEqual } from '../../../meta/equal.ts'
import type { LabelSelector } from '../../../meta/label-selector.ts'
import type { PodDisruptionBudget } from '../v1.types.ts'
import type { PodDisruptionBudget as PodDisruptionBudgetV1beta1 } from '../v1beta1.types.ts'

/** No pod has this label. An expression about it says in one version what the empty selector says in the other. */
const LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'

const EMPTY: LabelSelector = {}
/** How v1 has the empty selector of v1beta1, which selects no pods. */
const NONE_IN_V1: LabelSelector = { matchExpressions: [{ key: LABEL, operator: 'Exists' }] }
/** How v1beta1 has the empty selector of v1, which selects all pods. */
const ALL_IN_V1BETA1: LabelSelector = { matchExpressions: [{ key: LABEL, operator: 'DoesNotExist' }] }

/** Beside expressions of others the label says nothing, and is not kept. */
function withoutLabel({ matchExpressions = [], ...selector }: LabelSelector): LabelSelector {
  const kept = matchExpressions.filter(({ key }) => key !== LABEL)
  return { ...selector, ...(kept.length > 0 && { matchExpressions: kept }) }
}

/** No labels are as good as an absent map: `{"matchLabels": {}}` is the empty selector, too. */
const isSame = ({ matchLabels = {}, ...selector }: LabelSelector, other: LabelSelector): boolean =>
  deepEqual(Object.keys(matchLabels).length > 0 ? { matchLabels, ...selector } : selector, other)

const hasLabel = ({ matchExpressions = [] }: LabelSelector): boolean => matchExpressions.some(({ key }) => key === LABEL)

function selectorToV1(selector: LabelSelector): LabelSelector {
  if (isSame(selector, EMPTY)) return NONE_IN_V1
  return isSame(selector, ALL_IN_V1BETA1) ? EMPTY : withoutLabel(selector)
}

function selectorFromV1(selector: LabelSelector): LabelSelector {
  if (isSame(selector, NONE_IN_V1)) return EMPTY
  return isSame(selector, EMPTY) ? ALL_IN_V1BETA1 : selector
}

/** Takes the label out of selectors of v1 that are written with it, except for the one that stands for the empty selector of v1beta1. */
export function dropSelectorLabel({ spec }: PodDisruptionBudget): void {
  const { selector } = spec
  if (selector && hasLabel(selector) && !isSame(selector, NONE_IN_V1)) spec.selector = withoutLabel(selector)
}

/** policy/v1beta1 → policy/v1. The versions differ in what the empty selector selects: none in v1beta1, all in v1. Source: pkg/apis/policy/v1beta1 in k8s.io/kubernetes. */
export const toV1 = ({ spec, ...budget }: PodDisruptionBudgetV1beta1): PodDisruptionBudget => ({
  ...budget,
  spec: spec.selector ? { ...spec, selector: selectorToV1(spec.selector) } : spec,
})

/** policy/v1 → policy/v1beta1. */
export const fromV1 = ({ spec, ...budget }: PodDisruptionBudget): PodDisruptionBudgetV1beta1 => ({
  ...budget,
  spec: spec.selector ? { ...spec, selector: selectorFromV1(spec.selector) } : spec,
})
