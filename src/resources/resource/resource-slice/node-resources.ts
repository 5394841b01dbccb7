import type { Device, NodeAllocatableMapping, NodeAllocatableOverhead } from '../../../api/resource/v1beta2.types.ts'
import { covered, type FieldError, invalid, notFound, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { canonicalQuantity, quantitySign } from '../../../meta/quantity.ts'
import { isNativeResource } from '../../core/pod-spec/resources.ts'

/**
 * Validates the allocatable node resources that a device consumes, by a capacity of the device, a multiplier or both.
 * Only in 1.36.
 */
export function validateNodeResources(
  { nodeAllocatableResourceMappings: mappings = {}, capacity = {} }: Device,
  path: FieldPath,
): FieldError[] {
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

/**
 * Validates the allocatable node resources that a device takes: those that it stands for, which depend on a capacity or
 * on the number of devices, and those that it takes besides. Source: pkg/apis/resource/validation in k8s.io/kubernetes,
 * since 1.37.
 */
export function validateNodeAllocatable({ nodeAllocatableResources = {}, capacity = {} }: Device, path: FieldPath): FieldError[] {
  return Object.entries(nodeAllocatableResources).flatMap(([name, { mapping, overhead }]) => {
    const at = path.key(name)
    const errors = isNativeResource(name) ? [] : [invalid(at, name, 'must be a node allocatable resource name')]
    if (!mapping && !overhead) errors.push(required(at, 'at least one of mapping or overhead must be set'))
    if (mapping) errors.push(...validateMapping(mapping, capacity, at.child('mapping')))
    if (overhead) errors.push(...validateOverhead(overhead, at.child('overhead')))
    return errors
  })
}

const validateMultiplier = (factor: string | null | undefined, at: FieldPath): FieldError[] =>
  factor !== undefined && quantitySign(factor) <= 0 ? [invalid(at, canonicalQuantity(factor ?? '0'), 'must be positive')] : []

/** A missing member of a pair is marked as covered by declared validation, which reports the same error. */
function validateMapping(mapping: NodeAllocatableMapping, capacity: object, path: FieldPath): FieldError[] {
  const { capacityKey, capacityMultiplier, deviceMultiplier } = mapping
  const errors: FieldError[] = []
  const keyAt = path.child('capacityKey')
  const multiplierAt = path.child('capacityMultiplier')
  if (capacityKey !== undefined) {
    if (capacityKey === '') errors.push(invalid(keyAt, '', 'capacityKey must not be an empty string'))
    else if (!Object.hasOwn(capacity, capacityKey)) errors.push(notFound(keyAt, capacityKey))
    if (capacityMultiplier === undefined) {
      errors.push(...covered('dependentRequired', [required(multiplierAt, 'capacityMultiplier is required when capacityKey is set')]))
    } else errors.push(...validateMultiplier(capacityMultiplier, multiplierAt))
  }
  errors.push(...validateMultiplier(deviceMultiplier, path.child('deviceMultiplier')))
  if (capacityMultiplier !== undefined && capacityKey === undefined) {
    errors.push(...covered('dependentRequired', [required(keyAt, 'capacityKey is required when capacityMultiplier is set')]))
  }
  return errors
}

function validateOverhead({ perPod, perContainer }: NodeAllocatableOverhead, path: FieldPath): FieldError[] {
  if (perPod === undefined && perContainer === undefined) return [invalid(path, '', 'at least one of perPod or perContainer must be set')]
  return Object.entries({ perPod, perContainer }).flatMap(([member, amount]) =>
    amount !== undefined && quantitySign(amount) < 0
      ? [invalid(path.child(member), canonicalQuantity(amount ?? '0'), 'must be non-negative')]
      : [],
  )
}
