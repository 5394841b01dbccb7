import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from '../../../api/resource/v1beta2.types.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { type FieldError, forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { addQuantity, compareQuantity, quantityValue } from '../../../meta/quantity.ts'
import { validateSet } from '../lists.ts'

const MAX_VALUES = 10

/** Validates valid values, which include the default. `capacity` is the whole capacity of the device. */
function validateValues(values: readonly string[], standard: string, capacity: string, release: Release, path: FieldPath): FieldError[] {
  const unsorted = values.flatMap((value, i) => {
    const before = values[i - 1]
    return before !== undefined && compareQuantity(before, value) > 0 ? [invalid(path.index(i), value, 'values must be sorted in ascending order')] : []
  })
  const check = (value: string, at: FieldPath): FieldError[] =>
    compareQuantity(value, capacity) > 0 ? [invalid(at, value, `option is larger than capacity value: ${capacity}`)] : []
  const errors = [...unsorted, ...validateSet(values, path, { max: MAX_VALUES, release, check, keyOf: value => String(quantityValue(value)) })]
  if (!values.some(value => compareQuantity(value, standard) === 0))
    errors.push(invalid(path, standard, 'default value is not valid according to the requestPolicy'))
  return errors
}

/** Checks that a value is the minimum plus a multiple of the step. With a step of 0 only the minimum is valid. */
function validateStep(value: string, min: string, step: string, path: FieldPath): FieldError[] {
  const distance = quantityValue(value) - quantityValue(min)
  const size = quantityValue(step)
  const isReached = size === 0n ? distance === 0n : distance % size === 0n
  return isReached ? [] : [invalid(path, value, `value is not a multiple of a given step (${step}) from (${min})`)]
}

function validateRange({ min, max, step }: CapacityRequestPolicyRange, standard: string, capacity: string, path: FieldPath): FieldError[] {
  const minAt = path.child('min')
  const maxAt = path.child('max')
  const stepAt = path.child('step')
  if (min === undefined) return [required(minAt, 'required when validRange is defined')]
  const errors: FieldError[] = []
  if (compareQuantity(min, capacity) > 0) errors.push(invalid(minAt, min, `min is larger than capacity value: ${capacity}`))
  if (compareQuantity(standard, min) < 0) errors.push(invalid(minAt, standard, `default is less than min: ${min}`))
  if (max !== undefined) {
    if (compareQuantity(min, max) > 0) errors.push(invalid(maxAt, min, `min is larger than max: ${max}`))
    if (compareQuantity(max, capacity) > 0) errors.push(invalid(maxAt, max, `max is larger than capacity value: ${capacity}`))
    if (compareQuantity(standard, max) > 0) errors.push(invalid(maxAt, standard, `default is more than max: ${max}`))
  }
  if (step === undefined) return errors
  const first = addQuantity(min, step)
  if (compareQuantity(first, capacity) > 0) errors.push(invalid(stepAt, step, `one step ${first} is larger than capacity value: ${capacity}`))
  return [...errors, ...validateStep(standard, min, step, stepAt), ...(max === undefined ? [] : validateStep(max, min, step, stepAt))]
}

/**
 * Validates the amounts in which a capacity may be requested: certain values, or those of a range. Either needs a default.
 * Source: pkg/apis/resource/validation in k8s.io/kubernetes, since 1.34.
 */
export function validateRequestPolicy(policy: CapacityRequestPolicy, capacity: string, release: Release, path: FieldPath): FieldError[] {
  const { default: standard, validValues: values = [], validRange: range } = policy
  if (values.length > 0 && range)
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')]
  const member = values.length > 0 ? 'validValues' : 'validRange'
  if (values.length === 0 && !range) return []
  if (standard === null || standard === undefined) return [required(path.child('default'), `required when ${member} is defined`)]
  return range
    ? validateRange(range, standard, capacity, path.child('validRange'))
    : validateValues(values, standard, capacity, release, path.child('validValues'))
}
