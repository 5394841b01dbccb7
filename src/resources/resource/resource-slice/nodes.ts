import type { Device } from '../../../api/resource/v1beta2.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateNodeSelector } from '../../core/pod-spec/affinity.ts'

/**
 * Counts the ways in which a slice or device specifies its nodes, and validates each. `empty` is the message for an
 * empty name.
 */
export function givenNodes(
  { nodeName, nodeSelector, allNodes }: Pick<Device, 'nodeName' | 'nodeSelector' | 'allNodes'>,
  empty: string,
  path: FieldPath,
): { given: string[]; errors: FieldError[] } {
  const given: string[] = []
  const errors: FieldError[] = []
  if (nodeName) {
    given.push('`nodeName`')
    errors.push(...nameIsDnsSubdomain(nodeName, false).map(text => invalid(path.child('nodeName'), nodeName, text)))
  } else if (nodeName !== undefined) errors.push(invalid(path.child('nodeName'), nodeName, empty))
  if (nodeSelector) {
    given.push('`nodeSelector`')
    errors.push(...validateNodeSelector(nodeSelector, false, path.child('nodeSelector')))
  }
  if (allNodes === true) given.push('`allNodes`')
  else if (allNodes !== undefined) errors.push(invalid(path.child('allNodes'), allNodes, 'must be either unset or set to true'))
  return { given, errors }
}
