import { isStepDone, mapResult, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { cloneInSteps } from '../../meta/whole-floats.ts'

/** Labels or annotations. */
type Texts = Readonly<Record<string, string>>

/** Returns a copy of labels or annotations with others added or replaced, in steps if there are many. */
export const withMembers = (texts: Texts = {}, added: Texts = {}): Record<string, string> | Steps<Record<string, string>> =>
  hasFewValues(texts) ? { ...texts, ...added } : mapResult(cloneInSteps<Record<string, string>>(texts), copy => Object.assign(copy, added))

/**
 * Whether labels or annotations equal others, apart from names that are left out of either, in steps if there are many.
 */
export function* areSameMembers(
  a: Texts = {},
  b: Texts = {},
  omittedOfA: readonly string[] = [],
  omittedOfB: readonly string[] = omittedOfA,
): Steps<boolean> {
  const names = yield* memberNames(a)
  const others = yield* memberNames(b)
  if (names.length - omittedCount(omittedOfA, a) !== others.length - omittedCount(omittedOfB, b)) return false
  for (const name of names) {
    if (isStepDone()) yield
    if (!omittedOfA.includes(name) && (a[name] !== b[name] || omittedOfB.includes(name))) return false
  }
  return true
}

const omittedCount = (names: readonly string[], texts: Texts): number => names.filter(name => Object.hasOwn(texts, name)).length
