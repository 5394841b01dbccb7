import type {
  AllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceHandle,
  StructuredResourceHandle,
} from '../../../api/resource/v1alpha2.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { duplicate, type FieldError, forbidden, immutableError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import { validateNodeSelector } from '../../core/pod-spec/affinity.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateDriverName } from '../names.ts'
import { validateUser } from '../resource-claim/status-validation.ts'
import { validateModel } from './models.ts'
import { validateNodeName } from './node-names.ts'
import { longerThanAllowed } from './version.ts'

/** First release in which an allocation is immutable. */
const ALLOCATION_FIXED_SINCE: Release = '1.27'
const MOST_USERS = 32
const MOST_HANDLES = 32
/** Limit in bytes. */
const MOST_DATA = 16 * 1024

/** Validates consumers, which must have unique UIDs. */
function validateUsers(users: readonly ResourceClaimConsumerReference[], path: FieldPath): FieldError[] {
  const seen = new Set<string>()
  const errors = users.flatMap((user, i) => {
    if (seen.has(user.uid)) return [duplicate(path.index(i).child('uid'), user.uid)]
    seen.add(user.uid)
    return validateUser(user, path.index(i))
  })
  return users.length > MOST_USERS ? [...errors, longerThanAllowed(path, MOST_USERS)] : errors
}

const validateStructured = ({ nodeName = '', results }: StructuredResourceHandle, path: FieldPath): readonly FieldError[] => [
  ...(nodeName === '' ? [] : validateNodeName(nodeName, path.child('nodeName'))),
  ...(results ?? []).flatMap((result, i) =>
    validateModel(result, path.child('results').index(i), ({ name }, at) => validateNodeName(name, at.child('name'))),
  ),
]

function validateHandle({ driverName = '', data = '', structuredData }: ResourceHandle, path: FieldPath): readonly FieldError[] {
  return [
    ...validateDriverName(driverName, path.child('driverName')),
    ...(longerThan(data, MOST_DATA) ? [longerThanAllowed(path.child('data'), MOST_DATA)] : []),
    ...(structuredData ? validateStructured(structuredData, path.child('structuredData')) : []),
    ...(data !== '' && structuredData ? [invalid(path, null, 'data and structuredData are mutually exclusive')] : []),
  ]
}

/** Validates resource handles. 1.26 has only the data of one driver, without its name. */
function validateHandles(handles: readonly ResourceHandle[], release: Release, path: FieldPath): readonly FieldError[] {
  if (isSince(release, '1.27')) {
    const at = path.child('resourceHandles')
    const errors = handles.flatMap((handle, i) => validateHandle(handle, at.index(i)))
    return handles.length > MOST_HANDLES ? [...errors, longerThanAllowed(at, MOST_HANDLES)] : errors
  }
  return handles.some(({ data = '' }) => longerThan(data, MOST_DATA)) ? [longerThanAllowed(path.child('resourceHandle'), MOST_DATA)] : []
}

const validateAllocation = (
  { resourceHandles, availableOnNodes }: AllocationResult,
  release: Release,
  path: FieldPath,
): readonly FieldError[] => [
  ...validateHandles(resourceHandles ?? [], release, path),
  ...(availableOnNodes ? validateNodeSelector(availableOnNodes, false, path.child('availableOnNodes')) : []),
]

/**
 * Validates reservations. A claim that is not shareable has one consumer, and one that is being deallocated or deleted
 * gets no new ones.
 */
function validateReservation({ metadata, status }: ResourceClaim, old: ResourceClaim | undefined, path: FieldPath): FieldError[] {
  const users = status.reservedFor ?? []
  if (users.length === 0) return []
  if (!status.allocation) return [forbidden(path, 'may not be specified when `allocated` is not set')]
  const errors = !status.allocation.shareable && users.length > 1 ? [forbidden(path, 'may not be reserved more than once')] : []
  if (!metadata.deletionTimestamp && !status.deallocationRequested) return errors
  // Decoded values have their members in a fixed order, so equal consumers have the same text.
  const known = new Set((old?.status.reservedFor ?? []).map(user => JSON.stringify(user)))
  if (users.every(user => known.has(JSON.stringify(user)))) return errors
  return [...errors, forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')]
}

/**
 * Validates deallocationRequested. It may be set while the claim is not reserved, and is removed only together with the
 * allocation, by the driver.
 */
function validateDeallocation(next: ResourceClaim['status'], old: ResourceClaim['status'] | undefined, path: FieldPath): FieldError[] {
  const at = path.child('deallocationRequested')
  const isRequested = next.deallocationRequested === true
  const wasRequested = old?.deallocationRequested === true
  return [
    ...(!wasRequested && isRequested && (next.reservedFor ?? []).length > 0
      ? [forbidden(at, 'deallocation cannot be requested while `reservedFor` is set')]
      : []),
    ...(!next.allocation && isRequested ? [forbidden(path, '`allocation` must be set when `deallocationRequested` is set')] : []),
    ...(wasRequested && !isRequested && next.allocation ? [forbidden(at, 'may not be cleared when `allocation` is set')] : []),
  ]
}

/** Validates the status. Source: pkg/apis/resource/validation in k8s.io/kubernetes, 1.26 to 1.30. */
export function* validateClaimStatus(
  next: ResourceClaim,
  old: ResourceClaim | undefined,
  { features: { release } }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('status')
  const { driverName = '', allocation, reservedFor = [] } = next.status
  const driver = path.child('driverName')
  const missing = allocation ? [required(driver, 'must be specified when `allocation` is set')] : []
  const at = path.child('allocation')
  const before = old?.status.allocation
  const isChanged = isSince(release, ALLOCATION_FIXED_SINCE) && before && allocation && !(yield* deepEqualBySize(allocation, before))
  return [
    ...(driverName === '' ? missing : validateDriverName(driverName, driver)),
    ...(allocation ? validateAllocation(allocation, release, at) : []),
    ...validateUsers(reservedFor, path.child('reservedFor')),
    ...validateReservation(next, old, path.child('reservedFor')),
    ...(isChanged ? [immutableError(at, goValue('resourceV1alpha2.AllocationResult', allocation))] : []),
    ...validateDeallocation(next.status, old?.status, path),
  ]
}
