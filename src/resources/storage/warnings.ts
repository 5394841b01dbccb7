import { fieldPath } from '../../meta/field-path.ts'
import type { KubeObject } from '../../meta/object.ts'
import type { ApiStruct } from '../core/checks.ts'
import { deprecatedLabel } from '../core/pod-spec/warnings.ts'

/** Of a StorageClass: labels of nodes by their old names. */
export function storageClassWarnings({ allowedTopologies }: KubeObject): string[] {
  const topologies: ApiStruct[] = allowedTopologies ?? []
  return topologies.flatMap(({ matchLabelExpressions }, i) => {
    const at = fieldPath('allowedTopologies').index(i).child('matchLabelExpressions')
    const expressions: ApiStruct[] = matchLabelExpressions ?? []
    return expressions.flatMap(({ key = '' }, j) => {
      const text = deprecatedLabel(key)
      return text === undefined ? [] : [`${at.index(j).child('key').text}: ${text}`]
    })
  })
}

/** Of a CSIStorageCapacity: the same. */
export function capacityWarnings({ nodeTopology }: KubeObject): string[] {
  const at = fieldPath('nodeTopology')
  const expressions: ApiStruct[] = nodeTopology?.matchExpressions ?? []
  const ofExpressions = expressions.flatMap(({ key = '' }, i) => {
    const text = deprecatedLabel(key)
    return text === undefined ? [] : [`${at.child('matchExpressions').index(i).child('key').text}: ${key} is ${text}`]
  })
  const ofLabels = Object.keys(nodeTopology?.matchLabels ?? {}).flatMap(label => {
    const text = deprecatedLabel(label)
    return text === undefined ? [] : [`${at.child('matchLabels').child(label).text}: ${text}`]
  })
  return [...ofExpressions, ...ofLabels]
}
