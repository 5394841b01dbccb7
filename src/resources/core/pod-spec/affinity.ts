import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../../api/core/v1.types.ts'
import { isLongStepDone, isStepDone, runAtOnce, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { labelSelectorErrors } from '../../../meta/label-selector.ts'
import { isValidLabelValue, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateQualifiedName } from '../checks.ts'

const NOT_AN_OPERATOR = 'not a valid selector operator'
const OUT_OF_WEIGHTS = 'must be in the range 1-100'

/**
 * Checks a requirement on labels. Gt and Lt need one value, which is validated as a label value but not as a number.
 */
function validateNodeRequirement(requirement: NodeSelectorRequirement, allowInvalidValues: boolean, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { key, operator, values = [] } = requirement
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) errors.push(required(path.child('values'), "must be specified single value when `operator` is 'Lt' or 'Gt'"))
  } else errors.push(invalid(path.child('operator'), operator, NOT_AN_OPERATOR))
  errors.push(...validateQualifiedName(key, path.child('key')))
  if (allowInvalidValues) return errors
  values.forEach((value, i) => {
    for (const text of isValidLabelValue(value)) errors.push(invalid(path.child('values').index(i), value, text))
  })
  return errors
}

/**
 * Checks a requirement on fields. The only field is `metadata.name`, with In or NotIn and one value. Values under other
 * keys are not checked.
 */
function validateNodeFieldRequirement(requirement: NodeSelectorRequirement, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  const { key, operator, values = [] } = requirement
  if (operator !== 'In' && operator !== 'NotIn') errors.push(invalid(path.child('operator'), operator, NOT_AN_OPERATOR))
  else if (values.length !== 1)
    errors.push(required(path.child('values'), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
  if (key !== 'metadata.name') return [...errors, invalid(path.child('key'), key, 'not a valid field selector key')]
  values.forEach((value, i) => {
    for (const text of nameIsDnsSubdomain(value, false)) errors.push(invalid(path.child('values').index(i), value, text))
  })
  return errors
}

/**
 * Validates a term: requirements on labels, and on the field `metadata.name`. Source: pkg/apis/core/validation in
 * k8s.io/kubernetes.
 */
function* nodeTermErrors(term: NodeSelectorTerm, allowInvalidValues: boolean, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, requirement] of (term.matchExpressions ?? []).entries()) {
    if (isStepDone()) yield
    errors.push(...validateNodeRequirement(requirement, allowInvalidValues, path.child('matchExpressions').index(i)))
  }
  for (const [i, requirement] of (term.matchFields ?? []).entries()) {
    if (isStepDone()) yield
    errors.push(...validateNodeFieldRequirement(requirement, path.child('matchFields').index(i)))
  }
  return errors
}

/** Validates the NodeSelector in the node affinity of a pod or of a persistent volume. */
export const validateNodeSelector = (selector: NodeSelector, allowInvalidValues: boolean, path: FieldPath): FieldError[] =>
  runAtOnce(nodeSelectorErrors(selector, allowInvalidValues, path))

/** `validateNodeSelector` in steps. */
export function* nodeSelectorErrors(selector: NodeSelector, allowInvalidValues: boolean, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const terms = selector.nodeSelectorTerms ?? []
  const at = path.child('nodeSelectorTerms')
  if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'))
  for (const [i, term] of terms.entries()) {
    if (isStepDone()) yield
    for (const error of yield* nodeTermErrors(term, allowInvalidValues, at.index(i))) errors.push(error)
  }
  return errors
}

function validateWeight(weight: number, path: FieldPath): FieldError[] {
  return weight <= 0 || weight > 100 ? [invalid(path.child('weight'), weight, OUT_OF_WEIGHTS)] : []
}

function* validateNodeAffinity(affinity: NodeAffinity, allowInvalidValues: boolean, path: FieldPath): Steps<FieldError[]> {
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution
  const errors = required
    ? yield* nodeSelectorErrors(required, allowInvalidValues, path.child('requiredDuringSchedulingIgnoredDuringExecution'))
    : []
  for (const [i, term] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    if (isStepDone()) yield
    const at = path.child('preferredDuringSchedulingIgnoredDuringExecution').index(i)
    errors.push(...validateWeight(term.weight, at))
    // Invalid values in preferences have always been accepted.
    for (const error of yield* nodeTermErrors(term.preference, true, at.child('preference'))) errors.push(error)
  }
  return errors
}

/** Upstream’s path of an invalid namespace is `namespace`, without an index. Runs in steps. */
function* validatePodTerm(term: PodAffinityTerm, allowInvalidValues: boolean, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const rules = { allowInvalidValues }
  errors.push(...(yield* labelSelectorErrors(term.labelSelector ?? {}, path.child('labelSelector'), rules)))
  errors.push(...(yield* labelSelectorErrors(term.namespaceSelector ?? {}, path.child('namespaceSelector'), rules)))
  for (const name of term.namespaces ?? []) {
    if (isLongStepDone()) yield
    for (const text of nameIsDnsLabel(name, false)) errors.push(invalid(path.child('namespace'), name, text))
  }
  errors.push(...validateTermLabelKeys(term, path))
  const key = term.topologyKey
  if (key === '') errors.push(required(path.child('topologyKey'), 'can not be empty'))
  errors.push(...validateQualifiedName(key, path.child('topologyKey')))
  return errors
}

/**
 * Validates matchLabelKeys and mismatchLabelKeys. They have already been merged into the selector, so a key that the
 * user put into the selector as well occurs twice in it. Upstream’s path of that error is the index of the key directly
 * below the term, without the name of the list.
 */
export function validateTermLabelKeys(
  term: Pick<PodAffinityTerm, 'labelSelector' | 'matchLabelKeys' | 'mismatchLabelKeys'>,
  path: FieldPath,
): FieldError[] {
  const matching = term.matchLabelKeys ?? []
  const mismatching = term.mismatchLabelKeys ?? []
  if (matching.length === 0 && mismatching.length === 0) return []
  const errors: FieldError[] = []
  const selector = term.labelSelector
  for (const [field, keys] of [
    ['matchLabelKeys', matching],
    ['mismatchLabelKeys', mismatching],
  ] as const) {
    if (keys.length === 0) continue
    const at = path.child(field)
    if (!selector) errors.push(forbidden(at, 'must not be specified when labelSelector is not set'))
    else
      keys.forEach((key, i) => {
        errors.push(...validateQualifiedName(key, at.index(i)))
      })
  }
  if (selector) {
    const seen = new Set(Object.keys(selector.matchLabels ?? {}))
    const lastPlace = new Map(matching.map((key, i) => [key, i]))
    for (const { key } of selector.matchExpressions ?? []) {
      const i = lastPlace.get(key)
      if (i !== undefined && seen.has(key)) errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'))
      seen.add(key)
    }
  }
  const refused = new Set(mismatching)
  matching.forEach((key, i) => {
    if (refused.has(key))
      errors.push(invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'))
  })
  return errors
}

function* validatePodTerms(affinity: PodAffinity, allowInvalidValues: boolean, path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, term] of (affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    if (isLongStepDone()) yield
    const at = path.child('requiredDuringSchedulingIgnoredDuringExecution').index(i)
    errors.push(...(yield* validatePodTerm(term, allowInvalidValues, at)))
  }
  for (const [i, weighted] of (affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).entries()) {
    if (isLongStepDone()) yield
    const at = path.child('preferredDuringSchedulingIgnoredDuringExecution').index(i)
    errors.push(...validateWeight(weighted.weight, at))
    errors.push(...(yield* validatePodTerm(weighted.podAffinityTerm, allowInvalidValues, at.child('podAffinityTerm'))))
  }
  return errors
}

/** Faults that an update may keep if the old object has them. */
export interface AffinityOptions {
  readonly allowInvalidRequiredAffinityValues: boolean
  readonly allowInvalidSelectorValues: boolean
}

/**
 * Validates node affinity, pod affinity and pod anti-affinity: required terms, and preferred terms with a weight of 1
 * to 100. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateAffinity(affinity: Affinity, path: FieldPath, options: AffinityOptions): Steps<FieldError[]> {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity
  const { allowInvalidRequiredAffinityValues: ofNodes, allowInvalidSelectorValues: ofPods } = options
  const lists = [
    nodeAffinity ? yield* validateNodeAffinity(nodeAffinity, ofNodes, path.child('nodeAffinity')) : [],
    podAffinity ? yield* validatePodTerms(podAffinity, ofPods, path.child('podAffinity')) : [],
    podAntiAffinity ? yield* validatePodTerms(podAntiAffinity, ofPods, path.child('podAntiAffinity')) : [],
  ]
  return lists.flat()
}
