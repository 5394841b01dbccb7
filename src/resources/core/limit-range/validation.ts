import type { LimitRange, LimitRangeItem } from '../../../api/core/v1.types.ts'
import { repeats } from '../../../lib/repeats.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import { ownMember } from '../../../meta/equal.ts'
import { appendErrors, duplicate, type FieldError, forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { compareQuantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'
import { goQuantityValue } from '../../shared/go-values.ts'
import { isOvercommitAllowed, validateContainerResourceName, validateResourceName } from '../pod-spec/resources.ts'

const TYPES: readonly string[] = ['Pod', 'Container', 'PersistentVolumeClaim']
const NOT_OF_PODS = "may not be specified when `type` is 'Pod'"

/**
 * Validates a LimitRange: for each resource minimum ≤ default request ≤ default limit ≤ maximum. Source:
 * pkg/apis/core/validation in k8s.io/kubernetes.
 */
export function* validateLimitRange({ spec }: LimitRange): Steps<FieldError[]> {
  const limits = spec.limits ?? []
  const again = repeats(limits.map(({ type }) => type))
  const errors: FieldError[] = []
  for (const [i, item] of limits.entries()) {
    const path = fieldPath('spec', 'limits').index(i)
    const at = path.child('type')
    errors.push(...validateLimitType(item.type, at), ...(again[i] ? [duplicate(at, item.type)] : []))
    appendErrors(errors, yield* validateItem(item, path))
  }
  return errors
}

/**
 * Checks that the type is Pod, Container, PersistentVolumeClaim or a qualified name such as `example.com/disk`. Limits
 * of other types have no effect in this server.
 */
function validateLimitType(type: string, path: FieldPath): FieldError[] {
  const messages = isQualifiedName(type)
  if (messages.length > 0) return messages.map(message => invalid(path, type, message))
  return type.includes('/') || TYPES.includes(type) ? [] : [invalid(path, type, 'must be a standard limit type or fully qualified')]
}

type LimitList = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio'

/**
 * Checks the names, list by list, then the quantities, resource by resource. The type Pod has no defaults. A claim
 * needs a minimum or maximum of storage.
 */
function* validateItem(item: LimitRangeItem, path: FieldPath): Steps<FieldError[]> {
  const { type, min, max } = item
  const errors: FieldError[] = []
  const names = new Set<string>()
  const validateName = type === 'Pod' || type === 'Container' ? validateContainerResourceName : validateResourceName
  const checkNames = function* (list: LimitList): Steps<void> {
    for (const name of Object.keys(item[list] ?? {})) {
      if (isLongStepDone()) yield
      errors.push(...validateName(name, path.child(list).key(name)))
      names.add(name)
    }
  }
  yield* checkNames('max')
  yield* checkNames('min')
  for (const list of ['default', 'defaultRequest'] as const) {
    if (type !== 'Pod') yield* checkNames(list)
    else if (Object.keys(item[list] ?? {}).length > 0) errors.push(forbidden(path.child(list), NOT_OF_PODS))
  }
  if (type === 'PersistentVolumeClaim' && min?.storage === undefined && max?.storage === undefined) {
    errors.push(required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided'))
  }
  yield* checkNames('maxLimitRequestRatio')
  for (const name of names) {
    if (isLongStepDone()) yield
    errors.push(...validateQuantities(item, name, path))
  }
  return errors
}

/** Checks the order of the quantities of one resource: minimum, default request, default limit, maximum. */
function validateQuantities(item: LimitRangeItem, name: string, path: FieldPath): FieldError[] {
  const min = ownMember(item.min, name)
  const max = ownMember(item.max, name)
  const limit = item.type === 'Pod' ? undefined : ownMember(item.default, name)
  const request = item.type === 'Pod' ? undefined : ownMember(item.defaultRequest, name)
  const errorIn = (list: LimitList, value: string, detail: string): FieldError => invalid(path.child(list).key(name), value, detail)
  /** Returns an error in `list` if `a` is greater than `b`. The error shows the value of `blamed`. */
  const ordered = (list: LimitList, [a, aName]: Amount, [b, bName]: Amount, blamed: 'a' | 'b'): FieldError[] =>
    a !== undefined && b !== undefined && compareQuantity(a, b) > 0
      ? [errorIn(list, blamed === 'a' ? a : b, `${aName} value ${a} is greater than ${bName} value ${b}`)]
      : []
  const errors = [
    ...ordered('min', [min, 'min'], [max, 'max'], 'a'),
    ...ordered('defaultRequest', [min, 'min'], [request, 'default request'], 'b'),
    ...ordered('defaultRequest', [request, 'default request'], [max, 'max'], 'a'),
    ...ordered('defaultRequest', [request, 'default request'], [limit, 'default limit'], 'a'),
    ...ordered('default', [min, 'min'], [limit, 'default'], 'a'),
    ...ordered('default', [limit, 'default'], [max, 'max'], 'a'),
    ...validateRatio(ownMember(item.maxLimitRequestRatio, name), min, max, path.child('maxLimitRequestRatio').key(name)),
  ]
  if (!isOvercommitAllowed(name) && limit !== undefined && request !== undefined && compareQuantity(limit, request) !== 0) {
    errors.push(errorIn('defaultRequest', request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`))
  }
  return errors
}

type Amount = readonly [value: string | undefined, name: string]

/** Checks that a ratio is at least 1, and at most maximum / minimum if both are set. */
function validateRatio(ratio: string | undefined, min: string | undefined, max: string | undefined, path: FieldPath): FieldError[] {
  if (ratio === undefined) return []
  const errors = compareQuantity(ratio, '1') < 0 ? [invalid(path, goQuantityValue(ratio), `ratio ${ratio} is less than 1`)] : []
  if (min === undefined || max === undefined) return errors
  const most = greatestRatio(ratio, min, max)
  if (most.ratio > most.limit) errors.push(invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${most.limit.toFixed(6)}`))
  return errors
}

/** Largest amount whose thousandths fit an int64. */
const MAX_MILLI = ((1n << 63n) - 1n) / 1000n

/** Computes the ratio in thousandths if all three numbers allow it, otherwise in whole units. */
function greatestRatio(ratio: string, min: string, max: string): { ratio: number; limit: number } {
  const fits = [ratio, min, max].every(quantity => quantityValue(quantity) < MAX_MILLI)
  if (!fits) return { ratio: Number(quantityValue(ratio)), limit: Number(quantityValue(max)) / Number(quantityValue(min)) }
  return { ratio: Number(quantityMilliValue(ratio)) / 1000, limit: Number(quantityMilliValue(max)) / Number(quantityMilliValue(min)) }
}
