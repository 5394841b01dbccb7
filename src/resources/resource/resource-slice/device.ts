import type { Device, DeviceAttribute, DeviceCapacity, DeviceCounterConsumption } from '../../../api/resource/v1beta2.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, required, tooLongError } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { longerThan } from '../../../meta/names.ts'
import { parseSemanticVersion } from '../../../meta/semantic-version.ts'
import { goValue } from '../../shared/go-values.ts'
import { validateBindingConditions } from '../binding-conditions.ts'
import { shortened, validateList, validateSet } from '../lists.ts'
import { MAX_QUALIFIED_NAME, validateLabelName, validateQualifiedName } from '../names.ts'
import { validateTaint } from '../taints.ts'
import { countersOf, type SharedCounters, validateConsumption, validateShared } from './counters.ts'
import { validateNodeAllocatable, validateNodeResources } from './node-resources.ts'
import { givenNodes } from './nodes.ts'
import { validateRequestPolicy } from './request-policy.ts'

const MAX_VALUES = 32
const MAX_COUNTERS = 32
const MAX_TAINTS = 4
const MAX_CONSUMPTIONS = 2
const MAX_VALUE_BYTES = 64
const ONE_OF =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec'
const NONE_OF =
  '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec'

const bounded = (text: string, path: FieldPath): FieldError[] =>
  longerThan(text, MAX_VALUE_BYTES) ? [tooLongError(path, MAX_VALUE_BYTES)] : []

/** Validates an attribute, which has a value of exactly one type. */
function validateAttribute(attribute: DeviceAttribute, path: FieldPath): FieldError[] {
  const { string, version } = attribute
  const errors: FieldError[] = []
  if (string !== undefined) errors.push(...bounded(string, path.child('string')))
  if (version !== undefined) {
    const at = path.child('version')
    if (!parseSemanticVersion(version)) errors.push(invalid(at, version, 'must be a string compatible with semver.org spec 2.0.0'))
    errors.push(...bounded(version, at))
  }
  const kinds = (['bool', 'int', 'string', 'version'] as const).filter(kind => attribute[kind] !== undefined)
  if (kinds.length === 0) errors.push(required(path, 'exactly one value must be specified'))
  if (kinds.length > 1) errors.push(invalid(path, goValue('resource.DeviceAttribute', attribute), 'exactly one value must be specified'))
  return errors
}

/** Validates the entries of a map with qualified names as keys. Long names are shortened in paths only. */
const keyed = <T>(
  map: Record<string, T>,
  release: Release,
  check: (value: T, path: FieldPath) => FieldError[],
  path: FieldPath,
): FieldError[] =>
  Object.entries(map).flatMap(([name, value]) => {
    const at = path.key(shortened(name, MAX_QUALIFIED_NAME))
    return [...validateQualifiedName(name, release, at), ...check(value, at)]
  })

/** Validates a capacity. Only a device that allows multiple allocations has a request policy. */
const validateCapacity = (
  { value, requestPolicy }: DeviceCapacity,
  isShared: boolean,
  features: Features,
  path: FieldPath,
): FieldError[] => {
  const at = path.child('requestPolicy')
  if (!requestPolicy) return []
  return isShared ? validateRequestPolicy(requestPolicy, value, features, at) : [forbidden(at, 'allowMultipleAllocations must be true')]
}

/**
 * Validates consumed counters. A device consumes from each set once. Whether sets and counters exist is checked last.
 */
function validateCounters(
  consumptions: readonly DeviceCounterConsumption[],
  shared: SharedCounters,
  release: Release,
  path: FieldPath,
): FieldError[] {
  const at = path.child('consumesCounters')
  const errors = validateSet(consumptions, at, {
    max: Number.POSITIVE_INFINITY,
    release,
    check: (one, place) => validateConsumption(one, place),
    keyOf: one => one.counterSet,
    member: 'counterSet',
  })
  const count = consumptions.reduce((sum, one) => sum + countersOf(one).length, 0)
  if (count > MAX_COUNTERS) errors.push(invalid(path, count, `the total number of counters must not exceed ${MAX_COUNTERS}`))
  return [...errors, ...consumptions.flatMap((one, i) => validateShared(one, shared, at.index(i)))]
}

/** Validates consumed counters since 1.35. The sets belong to other slices of the pool, so only names are validated. */
const validateConsumed = (consumptions: readonly DeviceCounterConsumption[], release: Release, path: FieldPath): FieldError[] =>
  validateSet(consumptions, path.child('consumesCounters'), {
    max: MAX_CONSUMPTIONS,
    release,
    check: (one, at) => validateConsumption(one, at, MAX_COUNTERS),
    keyOf: one => one.counterSet,
  })

/** Validates the nodes of a device. `each` is set if devices specify their own nodes. */
function validateNodes(device: Device, each: boolean, path: FieldPath): FieldError[] {
  if (!each) {
    const any = device.nodeName !== undefined || device.nodeSelector !== undefined || device.allNodes !== undefined
    return any ? [invalid(path, undefined, NONE_OF)] : []
  }
  const { given, errors } = givenNodes(device, 'must not be empty', path)
  if (given.length === 0) errors.push(required(path, ONE_OF))
  if (given.length > 1) errors.push(invalid(path, `{${given.join(', ')}}`, ONE_OF))
  return errors
}

/** Context from the slice. */
interface SliceRules {
  /** Counters that devices may consume. */
  readonly shared: SharedCounters
  /** Whether devices specify their own nodes. */
  readonly each: boolean
  readonly features: Features
}

/**
 * Validates a device of a slice. `old` is the device of that name before an update; since 1.37 its capacities are valid
 * as they are.
 */
export function validateDevice(
  device: Device,
  old: Device | undefined,
  { shared, each, features }: SliceRules,
  path: FieldPath,
): FieldError[] {
  const { release } = features
  const isShared = device.allowMultipleAllocations === true
  const { name, attributes = {}, capacity = {}, taints, consumesCounters = [] } = device
  const errors = validateLabelName(name, path.child('name'))
  const count = Object.keys(attributes).length + Object.keys(capacity).length
  if (count > MAX_VALUES) errors.push(invalid(path, count, `the total number of attributes and capacities must not exceed ${MAX_VALUES}`))
  return [
    ...errors,
    ...keyed(attributes, release, validateAttribute, path.child('attributes')),
    ...(isSince(release, '1.37') && old && deepEqual(old.capacity, device.capacity)
      ? []
      : keyed(capacity, release, (one, at) => validateCapacity(one, isShared, features, at), path.child('capacity'))),
    ...validateList(taints, path.child('taints'), { max: MAX_TAINTS, release, check: (taint, at) => validateTaint(taint, release, at) }),
    ...(isSince(release, '1.35')
      ? validateConsumed(consumesCounters, release, path)
      : validateCounters(consumesCounters, shared, release, path)),
    ...validateNodes(device, each, path),
    ...validateBindingConditions(device, release, path),
    ...validateNodeResources(device, path.child('nodeAllocatableResourceMappings')),
    ...validateNodeAllocatable(device, path.child('nodeAllocatableResources')),
  ]
}
