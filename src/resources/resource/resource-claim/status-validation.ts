import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../../api/resource/v1beta2.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Release } from '../../../lifecycle/release.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, forbidden, immutableError, invalid, required, tooLongError, tooMany, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseCidr, printIp } from '../../../meta/ip.ts'
import { longerThan } from '../../../meta/names.ts'
import { validateNodeSelector } from '../../core/pod-spec/affinity.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateOneOf } from '../../shared/word-lists.ts'
import { validateBindingConditions } from '../binding-conditions.ts'
import { MAX_CONFIGURATIONS, MAX_REQUESTS, validateRequestReferences } from '../claim-spec.ts'
import { validateConfiguration, validateRaw } from '../configuration.ts'
import { validateList, validateSet } from '../lists.ts'
import { validateDriverName, validateLabelName, validatePoolName } from '../names.ts'
import { requestNames, validateRequestReference } from '../request-names.ts'
import { validateShareId } from '../share-id.ts'

const SOURCES = enumValues('resource.AllocationConfigSource')
const MAX_USERS = 256
const MAX_CONDITIONS = 8
const MAX_ADDRESSES = 16
const MAX_INTERFACE_NAME = 256
const MAX_HARDWARE_ADDRESS = 128

type DeviceIdentity = Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'>

/** Returns the identity of an allocated device: `driver/pool/device`, followed by the share if the device is shared. */
export const deviceId = ({ driver, pool, device, shareID }: DeviceIdentity): string =>
  `${driver}/${pool}/${device}${shareID === undefined ? '' : `/${shareID}`}`

/** Validates a consumer. The API group may be empty, as it is for pods. */
export const validateUser = (user: Pick<ResourceClaimConsumerReference, 'resource' | 'name' | 'uid'>, path: FieldPath): FieldError[] =>
  (['resource', 'name', 'uid'] as const).flatMap(member => (user[member] ? [] : [required(path.child(member))]))

const validateDevice = ({ driver, pool, device }: DeviceIdentity, release: Release, path: FieldPath): FieldError[] => [
  ...validateDriverName(driver, path.child('driver'), release),
  ...validatePoolName(pool, path.child('pool')),
  ...validateLabelName(device, path.child('device')),
]

/** Validates an address with a prefix, which must be canonical. */
function validateAddress(text: string, path: FieldPath): FieldError[] {
  const cidr = parseCidr(text)
  if (!cidr) return [invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')]
  const canonical = `${printIp(cidr.address)}/${cidr.prefix}`
  return text === canonical ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)]
}

function validateNetworkData(
  { interfaceName = '', ips, hardwareAddress = '' }: NetworkDeviceData,
  release: Release,
  path: FieldPath,
): FieldError[] {
  return [
    ...(longerThan(interfaceName, MAX_INTERFACE_NAME) ? [tooLongError(path.child('interfaceName'), MAX_INTERFACE_NAME)] : []),
    ...(longerThan(hardwareAddress, MAX_HARDWARE_ADDRESS) ? [tooLongError(path.child('hardwareAddress'), MAX_HARDWARE_ADDRESS)] : []),
    ...validateSet(ips, path.child('ips'), { max: MAX_ADDRESSES, release, check: validateAddress, keyOf: address => address }),
  ]
}

/**
 * Validates the status of a device, which must be allocated to the claim. Its data has the limit of a driver's
 * configuration.
 */
function validateDeviceStatus(
  status: AllocatedDeviceStatus,
  allocated: ReadonlySet<string>,
  release: Release,
  path: FieldPath,
): FieldError[] {
  const errors = [...validateDevice(status, release, path), ...validateShareId(status.shareID, path.child('shareID'))]
  if (!allocated.has(deviceId(status))) errors.push(invalid(path, verbatim(deviceId(status)), 'must be an allocated device in the claim'))
  const conditions = path.child('conditions')
  const count = (status.conditions ?? []).length
  if (count > MAX_CONDITIONS) errors.push(tooMany(conditions, count, MAX_CONDITIONS))
  errors.push(...validateMetaConditions(status.conditions ?? [], conditions))
  if (status.data !== undefined && status.data !== null) errors.push(...validateRaw(status.data, false, release, path.child('data')))
  return status.networkData ? [...errors, ...validateNetworkData(status.networkData, release, path.child('networkData'))] : errors
}

/**
 * Validates an allocation. It may have twice as many configurations as a claim, since it has those of class and claim.
 */
function validateAllocation(
  { devices, nodeSelector }: AllocationResult,
  known: ReadonlySet<string>,
  release: Release,
  path: FieldPath,
): FieldError[] {
  const at = path.child('devices')
  const result = (one: DeviceRequestAllocationResult, place: FieldPath): FieldError[] => [
    ...validateRequestReference(one.request, known, place.child('request')),
    ...validateDevice(one, release, place),
    ...validateBindingConditions(one, release, place),
    ...validateShareId(one.shareID, place.child('shareID')),
  ]
  const configuration = (config: DeviceAllocationConfiguration, place: FieldPath): FieldError[] => [
    ...validateConfigurationSource(config.source, place.child('source')),
    ...validateRequestReferences(config.requests, known, release, place.child('requests')),
    ...validateConfiguration(config, false, release, place),
  ]
  const errors = [
    ...validateList(devices.results, at.child('results'), { max: MAX_REQUESTS, release, check: result }),
    ...validateList(devices.config, at.child('config'), { max: 2 * MAX_CONFIGURATIONS, release, check: configuration }),
  ]
  return nodeSelector ? [...errors, ...validateNodeSelector(nodeSelector, false, path.child('nodeSelector'))] : errors
}

function validateConfigurationSource(source: string, path: FieldPath): FieldError[] {
  if (source === '') return covered('', [required(path)])
  return covered('', validateOneOf(source, SOURCES, path))
}

/**
 * Validates reservations. Only an allocated claim may be reserved, and one that is being deleted gets no new consumers.
 */
function validateReservation(next: ResourceClaim, old: ResourceClaim | undefined, path: FieldPath): FieldError[] {
  const { reservedFor: users, allocation } = next.status
  if (!users) return []
  if (!allocation) return [forbidden(path, 'may not be specified when `allocated` is not set')]
  const before = old?.status.reservedFor ?? []
  if (!next.metadata.deletionTimestamp) return []
  // Decoded values have their members in a fixed order, so equal consumers have the same text.
  const known = new Set(before.map(user => JSON.stringify(user)))
  if (users.every(user => known.has(JSON.stringify(user)))) return []
  return [forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')]
}

/**
 * Validates the status. An allocation is validated when it is added, is immutable, and may be removed. Only allocated
 * devices have a status. A claim that is being deleted gets no new consumers. Source: pkg/apis/resource/validation in
 * k8s.io/kubernetes.
 */
export function* validateClaimStatus(
  next: ResourceClaim,
  old: ResourceClaim | undefined,
  { features: { release } }: HookContext,
): Steps<FieldError[]> {
  const path = fieldPath('status')
  const { status } = next
  const allocation = path.child('allocation')
  const reservedFor = path.child('reservedFor')
  const allocated = new Set(status.allocation?.devices.results?.map(deviceId))
  const devices = (device: AllocatedDeviceStatus, at: FieldPath): FieldError[] => validateDeviceStatus(device, allocated, release, at)
  const errors = [
    ...validateSet(status.reservedFor, reservedFor, {
      max: MAX_USERS,
      release,
      check: validateUser,
      keyOf: user => user.uid,
      member: 'uid',
    }),
    ...validateSet(status.devices, path.child('devices'), {
      max: Number.POSITIVE_INFINITY,
      release,
      check: devices,
      keyOf: deviceId,
      member: 'deviceID',
      print: verbatim,
    }),
    ...validateReservation(next, old, reservedFor),
  ]
  if (!status.allocation) return errors
  const before = old?.status.allocation
  if (!before) return [...errors, ...validateAllocation(status.allocation, requestNames(next.spec.devices), release, allocation)]
  return (yield* deepEqualBySize(status.allocation, before))
    ? errors
    : [...errors, immutableError(allocation, goValue('resource.AllocationResult', status.allocation))]
}
