import { validateConditions } from '../../../meta/condition-validation.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required, tooLong, tooMany, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { parseCidr, printIp } from '../../../meta/ip.ts'
import { longerThan } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { checkNodeSelector } from '../../core/pod-spec/affinity.ts'
import { goValue } from '../../shared/go-values.ts'
import { MAX_CONFIGURATIONS, MAX_REQUESTS, validateRequestReferences } from '../claim-spec.ts'
import { validateConfiguration, validateRaw } from '../configuration.ts'
import { validateList, validateSet } from '../lists.ts'
import { validateDriverName, validateLabelName, validatePoolName } from '../names.ts'
import { requestNames, validateRequestReference } from '../request-names.ts'
import { deviceId } from './device-id.ts'

type ApiStruct = KubeObject['spec']

const MAX_USERS = 256
const MAX_CONDITIONS = 8
const MAX_ADDRESSES = 16
const MAX_INTERFACE_NAME = 256
const MAX_HARDWARE_ADDRESS = 128

const validateUser = (user: ApiStruct, path: FieldPath): FieldError[] =>
  ['resource', 'name', 'uid'].flatMap(member => (user[member] ? [] : [required(path.child(member))]))

const validateDevice = ({ driver = '', pool = '', device = '' }: ApiStruct, path: FieldPath): FieldError[] => [
  ...validateDriverName(driver, path.child('driver')),
  ...validatePoolName(pool, path.child('pool')),
  ...validateLabelName(device, path.child('device')),
]

function validateAddress(text: string, path: FieldPath): FieldError[] {
  const cidr = parseCidr(text)
  if (!cidr) return [invalid(path, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)')]
  const canonical = `${printIp(cidr.address)}/${cidr.prefix}`
  return text === canonical ? [] : [invalid(path, text, `must be in canonical form ("${canonical}")`)]
}

function validateNetworkData({ interfaceName = '', ips, hardwareAddress = '' }: ApiStruct, path: FieldPath): FieldError[] {
  return [
    ...(longerThan(interfaceName, MAX_INTERFACE_NAME) ? [tooLong(path.child('interfaceName'), MAX_INTERFACE_NAME)] : []),
    ...(longerThan(hardwareAddress, MAX_HARDWARE_ADDRESS) ? [tooLong(path.child('hardwareAddress'), MAX_HARDWARE_ADDRESS)] : []),
    ...validateSet(ips as string[], MAX_ADDRESSES, validateAddress, address => address, path.child('ips')),
  ]
}

function validateDeviceStatus(status: ApiStruct, allocated: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors = validateDevice(status, path)
  if (!allocated.has(deviceId(status))) errors.push(invalid(path, verbatim(deviceId(status)), 'must be an allocated device in the claim'))
  const conditions = path.child('conditions')
  const count = (status.conditions ?? []).length
  if (count > MAX_CONDITIONS) errors.push(tooMany(conditions, count, MAX_CONDITIONS))
  errors.push(...validateConditions(status.conditions ?? [], conditions))
  if (status.data !== undefined && status.data !== null) errors.push(...validateRaw(status.data, false, path.child('data')))
  return status.networkData ? [...errors, ...validateNetworkData(status.networkData, path.child('networkData'))] : errors
}

function validateAllocation({ devices = {}, nodeSelector }: ApiStruct, known: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const at = path.child('devices')
  const result = (one: ApiStruct, place: FieldPath): FieldError[] => [
    ...validateRequestReference(one.request ?? '', known, place.child('request')),
    ...validateDevice(one, place),
  ]
  const configuration = (config: ApiStruct, place: FieldPath): FieldError[] => [
    ...validateSource(config.source ?? '', place.child('source')),
    ...validateRequestReferences(config.requests, known, place.child('requests')),
    ...validateConfiguration(config, false, place),
  ]
  const errors = [
    ...validateList(devices.results as ApiStruct[], MAX_REQUESTS, result, at.child('results')),
    ...validateList(devices.config as ApiStruct[], 2 * MAX_CONFIGURATIONS, configuration, at.child('config')),
  ]
  if (nodeSelector) checkNodeSelector(nodeSelector, false, path.child('nodeSelector'), errors)
  return errors
}

function validateSource(source: string, path: FieldPath): FieldError[] {
  if (source === '') return [required(path)]
  return ['FromClaim', 'FromClass'].includes(source) ? [] : [notSupported(path, source, ['FromClaim', 'FromClass'])]
}

/** Nobody new may use a claim that is being deleted. */
function validateReservation(next: KubeObject, old: KubeObject | undefined, path: FieldPath): FieldError[] {
  const users: ApiStruct[] = next.status?.reservedFor ?? []
  if (users.length === 0) return []
  if (!next.status?.allocation) return [forbidden(path, 'may not be specified when `allocated` is not set')]
  const before: ApiStruct[] = old?.status?.reservedFor ?? []
  if (!next.metadata.deletionTimestamp) return []
  // Decoded values have their members in one order, so equal ones have the same text.
  const known = new Set(before.map(user => JSON.stringify(user)))
  if (users.every(user => known.has(JSON.stringify(user)))) return []
  return [forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')]
}

export function validateClaimStatus(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const path = fieldPath('status')
  const status: ApiStruct = next.status ?? {}
  const allocation = path.child('allocation')
  const reservedFor = path.child('reservedFor')
  const allocated = new Set(((status.allocation?.devices?.results ?? []) as ApiStruct[]).map(deviceId))
  const devices = (device: ApiStruct, at: FieldPath): FieldError[] => validateDeviceStatus(device, allocated, at)
  const errors = [
    ...validateSet(status.reservedFor as ApiStruct[], MAX_USERS, validateUser, user => user.uid ?? '', reservedFor, 'uid'),
    ...validateSet(status.devices as ApiStruct[], Number.POSITIVE_INFINITY, devices, deviceId, path.child('devices'), 'deviceID', verbatim),
    ...validateReservation(next, old, reservedFor),
  ]
  if (!status.allocation) return errors
  const before = old?.status?.allocation
  if (!before) return [...errors, ...validateAllocation(status.allocation, requestNames(next.spec?.devices), allocation)]
  return deepEqual(status.allocation, before)
    ? errors
    : [...errors, invalid(allocation, goValue('resource.AllocationResult', status.allocation), 'field is immutable')]
}
