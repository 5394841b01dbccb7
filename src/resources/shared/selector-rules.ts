import type { Features } from '../../lifecycle/gates.ts'
import { isSince } from '../../lifecycle/release.ts'
import { FieldPath } from '../../meta/field-path.ts'
import { type LabelSelector, type LabelSelectorRules, validateLabelSelector } from '../../meta/label-selector.ts'

const NOWHERE = new FieldPath('')

/**
 * What a selector of a kind may have: before 1.26 its expressions may have any values, and an update may keep bad ones.
 * Not for Deployment, ReplicaSet and StatefulSet, which always refuse them.
 * @param old selectors of the old object: one with a fault excuses all of the new one.
 */
export const selectorRules = ({ release }: Features, ...old: readonly (LabelSelector | null | undefined)[]): LabelSelectorRules => ({
  allowInvalidValues: !isSince(release, '1.26') || old.some(selector => validateLabelSelector(selector, NOWHERE).length > 0),
})
