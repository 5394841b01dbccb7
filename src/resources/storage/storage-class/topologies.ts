import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '../../../api/core/v1.types.ts'
import { compareText } from '../../../lib/compare-text.ts'
import { isStepDone, type Steps, sortInSteps } from '../../../lib/steps.ts'
import { MOST_IN_A_STEP } from '../../../meta/few-values.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { appendErrors, duplicate, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { uniqueItemErrors } from '../../../meta/item-errors.ts'
import { isQualifiedName } from '../../../meta/names.ts'

/** Validates a requirement: at least one value, without duplicates, and a qualified name as key. */
function* validateRequirement(key: string, values: readonly string[], path: FieldPath): Steps<FieldError[]> {
  const at = path.child('values')
  const errors = values.length === 0 ? [required(at)] : []
  const repeated = yield* uniqueItemErrors(
    values,
    at,
    () => [],
    (value, place) => duplicate(place, value),
  )
  appendErrors(errors, repeated)
  for (const text of isQualifiedName(key)) errors.push(invalid(path.child('key'), key, text))
  return errors
}

/** Validates the requirements of a term. Keys must be unique. */
function* validateRequirements(expressions: readonly TopologySelectorLabelRequirement[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { key, values }] of expressions.entries()) {
    if (isStepDone()) yield
    appendErrors(errors, yield* validateRequirement(key, values ?? [], path.index(i)))
    if (seen.has(key)) errors.push(duplicate(path.index(i).child('key'), key))
    seen.add(key)
  }
  return errors
}

/** Returns the same text for terms that are equivalent. */
function* termIdentity(expressions: readonly TopologySelectorLabelRequirement[]): Steps<string> {
  const sets = new Map<string, string[]>()
  for (const { key, values } of expressions) {
    if (isStepDone()) yield
    sets.set(key, yield* sortBySize([...new Set(values)], compareText))
  }
  return JSON.stringify(yield* sortBySize([...sets], ([a], [b]) => compareText(a, b)))
}

/** Sorts a list: at once if it is short, otherwise in steps. */
function* sortBySize<T extends NonNullable<unknown>>(items: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  return items.length <= MOST_IN_A_STEP ? items.sort(compare) : yield* sortInSteps(items, compare)
}

/**
 * Validates topologies. Terms must be unique. A term without expressions is reported once for every term of the list,
 * as upstream does. Source: pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateAllowedTopologies(topologies: readonly TopologySelectorTerm[], path: FieldPath): Steps<FieldError[]> {
  // Number of times each term was seen. For the empty term it starts at the number of all terms.
  const seen = new Map([[yield* termIdentity([]), topologies.length]])
  const errors: FieldError[] = []
  for (const [i, { matchLabelExpressions: expressions = [] }] of topologies.entries()) {
    if (isStepDone()) yield
    const at = path.index(i).child('matchLabelExpressions')
    appendErrors(errors, yield* validateRequirements(expressions, at))
    const identity = yield* termIdentity(expressions)
    const before = seen.get(identity) ?? 0
    for (let n = 0; n < before; n++) errors.push(duplicate(at, ''))
    seen.set(identity, before + 1)
  }
  return errors
}
