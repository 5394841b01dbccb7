import type { CSIStorageCapacity, StorageClass } from '../../api/storage/v1.types.ts'
import type { HookContext } from '../../catalog/strategy.ts'
import { isSince } from '../../lifecycle/release.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { deprecatedLabel } from '../core/pod-spec/warnings.ts'

/** Warnings for deprecated node labels in a StorageClass, since 1.25. */
export function storageClassWarnings(
  { allowedTopologies = [] }: StorageClass,
  _: StorageClass | undefined,
  { features }: HookContext,
): string[] {
  if (!isSince(features.release, '1.25')) return []
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) => {
    const at = fieldPath('allowedTopologies').index(i).child('matchLabelExpressions')
    return matchLabelExpressions.flatMap(({ key }, j) => {
      const text = deprecatedLabel(key)
      return text === undefined ? [] : [`${at.index(j).child('key').text}: ${text}`]
    })
  })
}

/** Warnings for deprecated node labels in a CSIStorageCapacity, since 1.25. */
export function capacityWarnings(
  { nodeTopology }: CSIStorageCapacity,
  _: CSIStorageCapacity | undefined,
  { features }: HookContext,
): string[] {
  if (!isSince(features.release, '1.25')) return []
  const at = fieldPath('nodeTopology')
  const ofExpressions = (nodeTopology?.matchExpressions ?? []).flatMap(({ key }, i) => {
    const text = deprecatedLabel(key)
    return text === undefined ? [] : [`${at.child('matchExpressions').index(i).child('key').text}: ${key} is ${text}`]
  })
  const ofLabels = Object.keys(nodeTopology?.matchLabels ?? {}).flatMap(label => {
    const text = deprecatedLabel(label)
    return text === undefined ? [] : [`${at.child('matchLabels').child(label).text}: ${text}`]
  })
  return [...ofExpressions, ...ofLabels]
}
