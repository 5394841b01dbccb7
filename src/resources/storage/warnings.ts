import { fieldPath } from '../../meta/field-path.ts'
import { deprecatedLabel } from '../core/pod-spec/warnings.ts'
import type { CSIStorageCapacity, StorageClass } from './v1.types.ts'

/** Of a StorageClass: labels of nodes by their old names. */
export function storageClassWarnings({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) => {
    const at = fieldPath('allowedTopologies').index(i).child('matchLabelExpressions')
    return matchLabelExpressions.flatMap(({ key }, j) => {
      const text = deprecatedLabel(key)
      return text === undefined ? [] : [`${at.index(j).child('key').text}: ${text}`]
    })
  })
}

/** Of a CSIStorageCapacity: the same. */
export function capacityWarnings({ nodeTopology }: CSIStorageCapacity): string[] {
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
