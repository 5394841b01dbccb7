import type { LabelSelector } from '../../api/meta/v1.types.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import { isSince } from '../../lifecycle/release.ts'
import { FieldPath } from '../../meta/field-path.ts'
import { type LabelSelectorRules, validateLabelSelector, validateLargeSelector } from '../../meta/label-selector.ts'

const NOWHERE = new FieldPath('')

/**
 * Returns the rules for a selector. Before 1.26 its expressions may have any values, and an update may keep invalid
 * ones. Not for Deployment, ReplicaSet and StatefulSet, which always reject them.
 * @param old selectors of the old object. One with a fault excuses all selectors of the new one.
 */
export const selectorRules = ({ release }: Features, ...old: readonly (LabelSelector | null | undefined)[]): LabelSelectorRules => ({
  allowInvalidValues: !isSince(release, '1.26') || old.some(selector => validateLabelSelector(selector, NOWHERE).length > 0),
})

/** Validates a large selector and the old one in steps, before rules that run in one call. */
export function* validateSelectorsInSteps(
  selector: LabelSelector | null | undefined,
  path: FieldPath,
  old: LabelSelector | null | undefined,
  features: Features,
): Steps<void> {
  if (old) yield* validateLargeSelector(old, NOWHERE)
  if (selector) yield* validateLargeSelector(selector, path, selectorRules(features, old))
}
