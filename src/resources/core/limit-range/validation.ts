import { ownMember } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, forbidden, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { compareQuantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'
import type { ApiStruct, Errors } from '../checks.ts'
import { checkContainerResourceName, checkResourceName, isOvercommitAllowed } from '../pod-spec/resources.ts'

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']
const NOT_OF_PODS = "may not be specified when `type` is 'Pod'"

export function validateLimitRange(limitRange: KubeObject): FieldError[] {
  const errors: Errors = []
  const seen = new Set<string>()
  const limits: ApiStruct[] = limitRange.spec?.limits ?? []
  for (const [i, item] of limits.entries()) {
    const path = fieldPath('spec', 'limits').index(i)
    const type: string = item.type ?? ''
    checkType(type, path.child('type'), errors)
    if (seen.has(type)) errors.push(duplicate(path.child('type'), type))
    seen.add(type)
    checkItem(item, type, path, errors)
  }
  return errors
}

function checkType(type: string, path: FieldPath, errors: Errors): void {
  const messages = isQualifiedName(type)
  for (const message of messages) errors.push(invalid(path, type, message))
  if (messages.length === 0 && !type.includes('/') && !TYPES.includes(type)) {
    errors.push(invalid(path, type, 'must be a standard limit type or fully qualified'))
  }
}

function checkItem(item: ApiStruct, type: string, path: FieldPath, errors: Errors): void {
  const names = new Set<string>()
  const checkName = type === 'Pod' || type === 'Container' ? checkContainerResourceName : checkResourceName
  const checkNames = (list: string): void => {
    for (const name in item[list]) {
      checkName(name, path.child(list).key(name), errors)
      names.add(name)
    }
  }
  checkNames('max')
  checkNames('min')
  if (type === 'Pod') {
    for (const list of ['default', 'defaultRequest']) {
      if (Object.keys(item[list] ?? {}).length > 0) errors.push(forbidden(path.child(list), NOT_OF_PODS))
    }
  } else {
    checkNames('default')
    checkNames('defaultRequest')
  }
  if (type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined) {
    errors.push(required(path.child('limits'), 'either minimum or maximum storage value is required, but neither was provided'))
  }
  checkNames('maxLimitRequestRatio')
  for (const name of names) checkQuantities(item, type, name, path, errors)
}

/** That the quantities of one resource are in order: minimum, default request, default limit, maximum. */
function checkQuantities(item: ApiStruct, type: string, name: string, path: FieldPath, errors: Errors): void {
  const of = (list: string): string | undefined => ownMember<string>(item[list], name)
  const min = of('min')
  const max = of('max')
  const limit = type === 'Pod' ? undefined : of('default')
  const request = type === 'Pod' ? undefined : of('defaultRequest')
  const ratio = of('maxLimitRequestRatio')
  const bad = (list: string, value: string, detail: string): number => errors.push(invalid(path.child(list).key(name), value, detail))
  const above = (a: string | undefined, b: string | undefined): boolean => a !== undefined && b !== undefined && compareQuantity(a, b) > 0

  if (above(min, max)) bad('min', min as string, `min value ${min} is greater than max value ${max}`)
  if (above(min, request)) bad('defaultRequest', request as string, `min value ${min} is greater than default request value ${request}`)
  if (above(request, max)) bad('defaultRequest', request as string, `default request value ${request} is greater than max value ${max}`)
  if (above(request, limit)) bad('defaultRequest', request as string, `default request value ${request} is greater than default limit value ${limit}`)
  if (above(min, limit)) bad('default', min as string, `min value ${min} is greater than default value ${limit}`)
  if (above(limit, max)) bad('default', max as string, `default value ${limit} is greater than max value ${max}`)
  if (ratio !== undefined) {
    if (compareQuantity(ratio, '1') < 0) bad('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`)
    const most = min === undefined || max === undefined ? undefined : greatestRatio(ratio, min, max)
    if (most !== undefined && most.ratio > most.limit) {
      bad('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${most.limit.toFixed(6)}`)
    }
  }
  if (!isOvercommitAllowed(name) && limit !== undefined && request !== undefined && compareQuantity(limit, request) !== 0) {
    bad('defaultRequest', request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`)
  }
}

const MAX_MILLI = ((1n << 63n) - 1n) / 1000n

/** In thousandths where all three numbers allow it. */
function greatestRatio(ratio: string, min: string, max: string): { ratio: number; limit: number } {
  const fits = [ratio, min, max].every(quantity => quantityValue(quantity) < MAX_MILLI)
  if (!fits) return { ratio: Number(quantityValue(ratio)), limit: Number(quantityValue(max)) / Number(quantityValue(min)) }
  return { ratio: Number(quantityMilliValue(ratio)) / 1000, limit: Number(quantityMilliValue(max)) / Number(quantityMilliValue(min)) }
}
