import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from '../../../api/resource/v1beta2.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { type FieldError, forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { addQuantity, compareQuantity, quantityMilliValue, quantityValue, toQuantity } from '../../../meta/quantity.ts'
import { validateSet } from '../lists.ts'

const MAX_VALUES = 10

/**
 * Whether values between whole numbers count. Otherwise they are rounded up before they are compared with steps and
 * with each other.
 */
const countsFractions = (features: Features): boolean => features.enabled('DRAFractionalCapacityRange')

/** Returns a quantity in decimal notation with its decimals: `0.100` for `100m`, `1024` for `1Ki`. */
function decimalText(quantity: string): string {
  const { value, scale } = toQuantity(quantity)
  if (scale >= 0) return String(value * 10n ** BigInt(scale))
  const digits = String(value < 0n ? -value : value).padStart(1 - scale, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, scale)}.${digits.slice(scale)}`
}

/** Validates valid values, which include the default. `capacity` is the whole capacity of the device. */
function validateValues(values: readonly string[], standard: string, capacity: string, features: Features, path: FieldPath): FieldError[] {
  const { release } = features
  const unsorted = values.flatMap((value, i) => {
    const before = values[i - 1]
    return before !== undefined && compareQuantity(before, value) > 0
      ? [invalid(path.index(i), value, 'values must be sorted in ascending order')]
      : []
  })
  const check = (value: string, at: FieldPath): FieldError[] =>
    compareQuantity(value, capacity) > 0 ? [invalid(at, value, `option is larger than capacity value: ${capacity}`)] : []
  const keyOf = countsFractions(features) ? decimalText : (value: string): string => String(quantityValue(value))
  const errors = [...unsorted, ...validateSet(values, path, { max: MAX_VALUES, release, check, keyOf })]
  if (!values.some(value => compareQuantity(value, standard) === 0))
    errors.push(invalid(path, standard, 'default value is not valid according to the requestPolicy'))
  return errors
}

/** Returns a quantity as a number of units. */
type UnitsOf = (quantity: string) => bigint

/** Checks that a value is the minimum plus a multiple of the step. With a step of 0 only the minimum is valid. */
function validateStep(value: string, min: string, step: string, unitsOf: UnitsOf, path: FieldPath): FieldError[] {
  const distance = unitsOf(value) - unitsOf(min)
  const size = unitsOf(step)
  const isReached = size === 0n ? distance === 0n : distance % size === 0n
  return isReached ? [] : [invalid(path, value, `value is not a multiple of a given step (${step}) from (${min})`)]
}

const isFractional = (quantity: string | undefined): boolean =>
  quantity !== undefined && compareQuantity(quantity, quantityValue(quantity)) !== 0

/**
 * Returns an error for each value that is not a whole number of thousandths in 64 bits, in which fractions are counted.
 */
function validateThousandths(values: Readonly<Record<string, string | undefined>>, path: FieldPath): FieldError[] {
  return Object.entries(values).flatMap(([member, value]) =>
    value === undefined || compareQuantity(value, decimalOfThousandths(quantityMilliValue(value))) === 0
      ? []
      : [invalid(path.child(member), value, 'value cannot be represented as a milli value')],
  )
}

const decimalOfThousandths = (count: bigint): string => `${count}m`

/**
 * Without a minimum nothing else is validated. `standard` is the default, `capacity` the device's; the errors of a
 * default have the path of the bound that it breaks.
 */
function validateRange(
  range: CapacityRequestPolicyRange,
  standard: string,
  capacity: string,
  features: Features,
  path: FieldPath,
): FieldError[] {
  const { min, max, step } = range
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
  const inThousandths = countsFractions(features) && [standard, min, max, step].some(isFractional)
  const tooFine = inThousandths ? validateThousandths({ default: standard, min, max, step }, path) : []
  if (tooFine.length > 0) return [...errors, ...tooFine]
  if (step === undefined) return errors
  const unitsOf = inThousandths ? quantityMilliValue : quantityValue
  const first = addQuantity(min, step)
  if (compareQuantity(first, capacity) > 0)
    errors.push(invalid(stepAt, step, `one step ${first} is larger than capacity value: ${capacity}`))
  return [
    ...errors,
    ...validateStep(standard, min, step, unitsOf, stepAt),
    ...(max === undefined ? [] : validateStep(max, min, step, unitsOf, stepAt)),
  ]
}

/**
 * Validates the amounts in which a capacity may be requested: certain values, or those of a range. Either needs a
 * default. Source: pkg/apis/resource/validation in k8s.io/kubernetes, since 1.34; fractions since 1.37 (KEP-5075).
 */
export function validateRequestPolicy(policy: CapacityRequestPolicy, capacity: string, features: Features, path: FieldPath): FieldError[] {
  const { default: standard, validValues: values = [], validRange: range } = policy
  if (values.length > 0 && range)
    return [forbidden(path, 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time')]
  const member = values.length > 0 ? 'validValues' : 'validRange'
  if (values.length === 0 && !range) return []
  if (standard === null || standard === undefined) return [required(path.child('default'), `required when ${member} is defined`)]
  return range
    ? validateRange(range, standard, capacity, features, path.child('validRange'))
    : validateValues(values, standard, capacity, features, path.child('validValues'))
}
