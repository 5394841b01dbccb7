import type { LabelSelector } from '../../api/meta/v1.types.ts'
import type { Steps } from '../../lib/steps.ts'
import { isWide, namesOf } from '../../lib/wide-objects.ts'
import { hasMembers, propertyOf } from '../../meta/equal.ts'
import { hasFewValues, MOST_IN_A_STEP } from '../../meta/few-values.ts'
import type { Labels } from '../../meta/label-matcher.ts'
import {
  isLongSelector,
  type LabelRequirement,
  labelSelectorInSteps,
  labelSelectorOf,
  labelSelectorOfMap,
  mapSelectorInSteps,
} from '../../meta/label-selector.ts'

/** Requirements of long selectors, as long as those exist. */
const kept = new WeakMap<object, readonly LabelRequirement[]>()

/**
 * Returns the requirements of a selector of an observed object, which must not change. Those of a long one are kept, as
 * controllers match it with many objects. Throws a SelectorError if it is invalid.
 */
export function selectorOf(selector: LabelSelector | undefined | null): readonly LabelRequirement[] {
  const known = selector ? kept.get(selector) : undefined
  return known ?? keep(selector, labelSelectorOf(selector))
}

/** `selectorOf` for the plain map of a Service or ReplicationController. Empty if the map is. */
export function selectorOfMap(map: Labels | undefined): readonly LabelRequirement[] {
  const known = map ? kept.get(map) : undefined
  return known ?? keep(map, labelSelectorOfMap(map))
}

/** Reports whether a map is absent or has no members, without listing those of a wide one. */
export const isEmptyMap = (map: Labels | undefined): boolean => map === undefined || (!isWide(map) && namesOf(map).length === 0)

/** Converts the selector of an object in steps if it is long, so that `selectorOf` returns what is kept. */
export const keepSelector = (object: object): Steps<void> => keepRequirements(propertyOf(propertyOf(object, 'spec'), 'selector'))

/** `keepSelector` for a selector itself. */
export function* keepRequirements(selector: unknown): Steps<void> {
  if (!hasMembers(selector) || kept.has(selector) || hasFewValues(selector, MOST_IN_A_STEP)) return
  keep(selector, isLabelSelector(selector) ? yield* labelSelectorInSteps(selector) : yield* mapSelectorInSteps(selector as Labels))
}

/** Tells a label selector from a plain map, whose members are texts. */
const isLabelSelector = (selector: LabelSelector | Labels): selector is LabelSelector =>
  typeof selector.matchLabels === 'object' || typeof selector.matchExpressions === 'object'

function keep(selector: object | undefined | null, requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  if (selector && isLongSelector(requirements)) kept.set(selector, requirements)
  return requirements
}
