import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateLabelSelector } from '../../../meta/label-selector.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { quantitySign } from '../../../meta/quantity.ts'
import { NEGATIVE } from '../../core/checks.ts'
import { goLabelSelector } from '../../shared/go-syntax.ts'

const IMMUTABLE = 'field is immutable'
const topologyPath = fieldPath('nodeTopology')
const classPath = fieldPath('storageClassName')

function validateUpdate({ nodeTopology, storageClassName = '' }: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...(deepEqual(nodeTopology, old.nodeTopology) ? [] : [invalid(topologyPath, nodeTopology && goLabelSelector(nodeTopology), IMMUTABLE)]),
    ...(storageClassName === (old.storageClassName ?? '') ? [] : [invalid(classPath, storageClassName, IMMUTABLE)]),
  ]
}

export function validateCSIStorageCapacity(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const { nodeTopology, storageClassName = '', capacity } = next
  const allowInvalidValues = old !== undefined && validateLabelSelector(old.nodeTopology, topologyPath).length > 0
  return [
    ...validateLabelSelector(nodeTopology, topologyPath, { allowInvalidValues }),
    ...nameIsDnsSubdomain(storageClassName, false).map(text => invalid(classPath, storageClassName, text)),
    ...(capacity !== undefined && quantitySign(capacity) < 0 ? [invalid(fieldPath('capacity'), capacity, NEGATIVE)] : []),
    ...(old ? validateUpdate(next, old) : []),
  ]
}
