import type { CounterSet, Device, ResourcePool, ResourceSlice, ResourceSliceSpec } from '../../../api/resource/v1beta2.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { goMember } from '../../shared/go-values.ts'
import { validateSet } from '../lists.ts'
import { validateDriverName, validatePoolName } from '../names.ts'
import { countersOf, type SharedCounters, validateCounterSet } from './counters.ts'
import { validateDevice } from './device.ts'
import { givenNodes } from './nodes.ts'

const MAX_DEVICES = 128
const MAX_DEVICE_COUNTERS = 1024
const MAX_SHARED_COUNTERS = 32
/** Limit on devices if any has taints or consumes counters. */
const MAX_COSTLY_DEVICES = 64
const MAX_SETS = 8
const ONE_OF = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'

function validatePool({ name, generation, resourceSliceCount }: ResourcePool, path: FieldPath): FieldError[] {
  const errors = validatePoolName(name, path.child('name'))
  if (resourceSliceCount <= 0) errors.push(invalid(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'))
  if (generation < 0) errors.push(invalid(path.child('generation'), generation, 'must be greater than or equal to zero'))
  return errors
}

/** Returns an error for each immutable member that has changed. Other specifications of nodes may change. */
function validateUnchanged(spec: ResourceSliceSpec, old: ResourceSliceSpec, path: FieldPath): FieldError[] {
  const members: [path: FieldPath, next: unknown, before: unknown][] = [
    [path.child('pool', 'name'), spec.pool.name, old.pool.name],
    [path.child('driver'), spec.driver, old.driver],
    [path.child('nodeName'), spec.nodeName, old.nodeName],
  ]
  return members.flatMap(([at, next, before]) => (next === before ? [] : [immutableError(at, next)]))
}

/** Checks that exactly one field specifies the nodes of the devices. */
function validateNodes(spec: ResourceSliceSpec, path: FieldPath): FieldError[] {
  const { given, errors } = givenNodes(spec, 'must be either unset or set to a non-empty string', path)
  const terms = spec.nodeSelector?.nodeSelectorTerms ?? []
  if (spec.nodeSelector && terms.length !== 1) {
    errors.push(
      invalid(
        path.child('nodeSelector', 'nodeSelectorTerms'),
        goMember('core.NodeSelector', 'nodeSelectorTerms', terms),
        'must have exactly one node selector term',
      ),
    )
  }
  if (spec.perDeviceNodeSelection === true) given.push('`perDeviceNodeSelection`')
  else if (spec.perDeviceNodeSelection !== undefined)
    errors.push(invalid(path.child('perDeviceNodeSelection'), false, 'must be either unset or set to true'))
  if (given.length === 0) errors.push(required(path, ONE_OF))
  if (given.length > 1) errors.push(invalid(path, `{${given.join(', ')}}`, `${ONE_OF}, but multiple fields are set`))
  return errors
}

/** Checks the number of counters, over all devices and over all sets. The number of sets is not limited. */
function validateCounters(devices: readonly Device[], sets: readonly CounterSet[], release: Release, path: FieldPath): FieldError[] {
  const consumed = devices.flatMap(({ consumesCounters = [] }) => consumesCounters).reduce((sum, one) => sum + countersOf(one).length, 0)
  const shared = sets.reduce((sum, one) => sum + countersOf(one).length, 0)
  const errors: FieldError[] = []
  if (consumed > MAX_DEVICE_COUNTERS) {
    errors.push(invalid(path.child('devices'), consumed, `the total number of counters in devices must not exceed ${MAX_DEVICE_COUNTERS}`))
  }
  const at = path.child('sharedCounters')
  if (shared > MAX_SHARED_COUNTERS)
    errors.push(invalid(at, shared, `the total number of shared counters must not exceed ${MAX_SHARED_COUNTERS}`))
  return [
    ...errors,
    ...validateSet(sets, at, {
      max: Number.POSITIVE_INFINITY,
      release,
      check: (set, place) => validateCounterSet(set, place),
      keyOf: set => set.name,
      member: 'name',
    }),
  ]
}

/**
 * Validates the contents since 1.35. A slice has either devices or counters. Devices with taints or counters have a
 * lower limit, and each set may have as many counters as all sets together had before.
 */
function validateContents(
  { devices, sharedCounters }: ResourceSliceSpec,
  check: (device: Device, at: FieldPath) => FieldError[],
  release: Release,
  path: FieldPath,
): FieldError[] {
  const isCostly = (devices ?? []).some(({ taints = [], consumesCounters = [] }) => taints.length > 0 || consumesCounters.length > 0)
  return [
    ...(devices && sharedCounters ? [invalid(path, '', 'only one of `sharedCounters` or `devices` is allowed')] : []),
    ...validateSet(devices, path.child('devices'), {
      max: isCostly ? MAX_COSTLY_DEVICES : MAX_DEVICES,
      release,
      check,
      keyOf: device => device.name,
    }),
    ...validateSet(sharedCounters, path.child('sharedCounters'), {
      max: MAX_SETS,
      release,
      check: (set, at) => validateCounterSet(set, at, MAX_SHARED_COUNTERS),
      keyOf: set => set.name,
    }),
  ]
}

/**
 * Validates a slice. The name of the pool, driver and nodeName are immutable. Limits apply to the whole slice: 128
 * devices, 1024 counters that they consume, 32 that they share. Source: pkg/apis/resource/validation in
 * k8s.io/kubernetes.
 */
export function validateResourceSlice({ spec }: ResourceSlice, old: ResourceSlice | undefined, { features }: HookContext): FieldError[] {
  const path = fieldPath('spec')
  const { devices, sharedCounters: sets = [] } = spec
  const shared: SharedCounters = new Map(sets.map(set => [set.name, new Set(countersOf(set))]))
  const oldDevices = new Map((old?.spec.devices ?? []).map(device => [device.name, device]))
  const check = (device: Device, at: FieldPath): FieldError[] =>
    validateDevice(device, oldDevices.get(device.name), { shared, each: spec.perDeviceNodeSelection === true, features }, at)
  return [
    ...validateDriverName(spec.driver, path.child('driver'), features.release),
    ...validatePool(spec.pool, path.child('pool')),
    ...(old ? validateUnchanged(spec, old.spec, path) : []),
    ...validateNodes(spec, path),
    ...(isSince(features.release, '1.35')
      ? validateContents(spec, check, features.release, path)
      : [
          ...validateSet(devices, path.child('devices'), {
            max: MAX_DEVICES,
            release: features.release,
            check,
            keyOf: device => device.name,
            member: 'name',
          }),
          ...validateCounters(devices ?? [], sets, features.release, path),
        ]),
  ]
}
