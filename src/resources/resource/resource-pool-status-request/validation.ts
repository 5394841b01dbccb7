import type { PoolStatus, ResourcePoolStatusRequest, ResourcePoolStatusRequestStatus } from '../../../api/resource/v1alpha3.types.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { type FieldError, immutableError, invalid, required, tooLongError, tooMany } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, longerThan } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'

const LONGEST_POOL_NAME = 253
const LONGEST_ERROR_BYTES = 256
const MOST_POOLS = 1000
const MOST_CONDITIONS = 10

const COUNTS = ['totalDevices', 'allocatedDevices', 'availableDevices', 'unavailableDevices'] as const

const atLeast = (value: number | undefined, least: number, path: FieldPath): FieldError[] =>
  value !== undefined && value < least ? [invalid(path, value, `must be greater than or equal to ${least}`)] : []
const atMost = (value: number | undefined, most: number, path: FieldPath): FieldError[] =>
  value !== undefined && value > most ? [invalid(path, value, `must be less than or equal to ${most}`)] : []

/** Validates a subdomain that may contain upper-case letters. */
const validateDriver = (driver: string, path: FieldPath): FieldError[] =>
  driver === '' ? [required(path)] : isDns1123Subdomain(driver.toLowerCase()).map(text => invalid(path, driver, text))

/** Validates subdomains that are separated by slashes. */
function validatePool(name: string, path: FieldPath): FieldError[] {
  return [
    ...(longerThan(name, LONGEST_POOL_NAME) ? [tooLongError(path, LONGEST_POOL_NAME)] : []),
    ...name.split('/').flatMap((part, i) => {
      if (part === '') return [invalid(path, name, `segment ${i}: must not be empty`)]
      return isDns1123Subdomain(part).map(text => invalid(path, part, `segment ${i}: ${text}`))
    }),
  ]
}

/** Validates a request, which is immutable. Source: declarative validation of resource.k8s.io/v1alpha3 in 1.36. */
export function validatePoolStatusRequest({ spec }: ResourcePoolStatusRequest, old: ResourcePoolStatusRequest | undefined): FieldError[] {
  const path = fieldPath('spec')
  if (old) return deepEqual(spec, old.spec) ? [] : [immutableError(path, undefined)]
  const { driver, poolName, limit } = spec
  const at = path.child('limit')
  return [
    ...validateDriver(driver, path.child('driver')),
    ...(poolName === undefined ? [] : validatePool(poolName, path.child('poolName'))),
    ...atMost(limit, 1000, at),
    ...atLeast(limit, 1, at),
  ]
}

/** Validates the status of a pool. A generation of 0 counts as unset. */
function validatePoolStatus(pool: PoolStatus, path: FieldPath): FieldError[] {
  const { driver = '', poolName = '', generation, resourceSliceCount, nodeName, validationError } = pool
  return [
    ...validateDriver(driver, path.child('driver')),
    ...(poolName === '' ? [required(path.child('poolName'))] : validatePool(poolName, path.child('poolName'))),
    ...(Number(generation) === 0 ? [required(path.child('generation'))] : atLeast(Number(generation), 0, path.child('generation'))),
    ...atLeast(resourceSliceCount, 1, path.child('resourceSliceCount')),
    ...COUNTS.flatMap(member => atLeast(pool[member], 0, path.child(member))),
    ...(nodeName === undefined ? [] : isDns1123Subdomain(nodeName).map(text => invalid(path.child('nodeName'), nodeName, text))),
    ...(validationError !== undefined && longerThan(validationError, LONGEST_ERROR_BYTES)
      ? [tooLongError(path.child('validationError'), LONGEST_ERROR_BYTES)]
      : []),
  ]
}

function validateAnswer({ poolCount, pools = [], conditions = [] }: ResourcePoolStatusRequestStatus, path: FieldPath): FieldError[] {
  const at = path.child('pools')
  return [
    ...(poolCount === undefined ? [required(path.child('poolCount'))] : atLeast(poolCount, 0, path.child('poolCount'))),
    ...(pools.length > MOST_POOLS
      ? [tooMany(at, pools.length, MOST_POOLS)]
      : pools.flatMap((pool, i) => validatePoolStatus(pool, at.index(i)))),
    ...(conditions.length > MOST_CONDITIONS ? [tooMany(path.child('conditions'), conditions.length, MOST_CONDITIONS)] : []),
  ]
}

/** Validates the status, which is written once, as a whole. */
export function validateRequestedStatus({ status }: ResourcePoolStatusRequest, old: ResourcePoolStatusRequest | undefined): FieldError[] {
  const path = fieldPath('status')
  if (old?.status) {
    const shown = status && goValue('resourceV1alpha3.ResourcePoolStatusRequestStatus', status)
    return deepEqual(status, old.status) ? [] : [immutableError(path, shown), ...(status ? validateAnswer(status, path) : [])]
  }
  return status ? [...validateMetaConditions(status.conditions, path.child('conditions')), ...validateAnswer(status, path)] : []
}
