import type { CSIStorageCapacity, StorageClass } from '../../api/storage/v1.types.ts'
import type { HookContext } from '../../catalog/strategy.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { isSince } from '../../lifecycle/release.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { deprecatedLabel } from '../core/pod-spec/warnings.ts'

/** Warnings for deprecated node labels in a StorageClass, since 1.25. */
export function* storageClassWarnings(
  { allowedTopologies = [] }: StorageClass,
  _: StorageClass | undefined,
  { features }: HookContext,
): Steps<string[]> {
  if (!isSince(features.release, '1.25')) return []
  const warnings: string[] = []
  for (const [i, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    if (isStepDone()) yield
    const at = fieldPath('allowedTopologies').index(i).child('matchLabelExpressions')
    for (const [j, { key }] of matchLabelExpressions.entries()) {
      if (isStepDone()) yield
      const text = deprecatedLabel(key)
      if (text !== undefined) warnings.push(`${at.index(j).child('key').text}: ${text}`)
    }
  }
  return warnings
}

/** Warnings for deprecated node labels in a CSIStorageCapacity, since 1.25. */
export function* capacityWarnings(
  { nodeTopology }: CSIStorageCapacity,
  _: CSIStorageCapacity | undefined,
  { features }: HookContext,
): Steps<string[]> {
  if (!isSince(features.release, '1.25')) return []
  const { matchExpressions = [], matchLabels = {} } = nodeTopology ?? {}
  const at = fieldPath('nodeTopology')
  const warnings: string[] = []
  for (const [i, { key }] of matchExpressions.entries()) {
    if (isStepDone()) yield
    const text = deprecatedLabel(key)
    if (text !== undefined) warnings.push(`${at.child('matchExpressions').index(i).child('key').text}: ${key} is ${text}`)
  }
  for (const label of yield* memberNames(matchLabels)) {
    if (isStepDone()) yield
    const text = deprecatedLabel(label)
    if (text !== undefined) warnings.push(`${at.child('matchLabels').child(label).text}: ${text}`)
  }
  return warnings
}
