import type { Device } from '../../../api/resource/v1beta2.types.ts'
import { type FieldError, invalid, notFound } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { canonicalQuantity, quantitySign } from '../../../meta/quantity.ts'
import { isNativeResource } from '../../core/pod-spec/resources.ts'

/** Validates the allocatable node resources that a device consumes, by a capacity of the device, a multiplier or both. Since 1.36. */
export function validateNodeResources({ nodeAllocatableResourceMappings: mappings = {}, capacity = {} }: Device, path: FieldPath): FieldError[] {
  return Object.entries(mappings).flatMap(([name, { capacityKey, allocationMultiplier: factor }]) => {
    const at = path.key(name)
    const errors = isNativeResource(name) ? [] : [invalid(at, name, 'must be a node allocatable resource name')]
    if (factor === undefined && capacityKey === undefined)
      return [...errors, invalid(at, '', 'at least one of allocationMultiplier or capacityKey must be set')]
    if (factor !== undefined && quantitySign(factor) <= 0)
      errors.push(invalid(at.child('allocationMultiplier'), canonicalQuantity(factor ?? '0'), 'must be positive'))
    if (capacityKey === '') errors.push(invalid(at.child('capacityKey'), '', 'capacityKey must not be an empty string'))
    else if (capacityKey !== undefined && !Object.hasOwn(capacity, capacityKey)) errors.push(notFound(at.child('capacityKey'), capacityKey))
    return errors
  })
}
