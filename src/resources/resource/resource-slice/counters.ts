import type { CounterSet, DeviceCounterConsumption } from '../../../api/resource/v1beta2.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, tooMany } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { shortened } from '../lists.ts'
import { validateLabelName } from '../names.ts'

type WithCounters = Pick<CounterSet | DeviceCounterConsumption, 'counters'>

/** Names of the counters of a slice, by counter set. */
export type SharedCounters = ReadonlyMap<string, ReadonlySet<string>>

const MAX_NAME = 63

/** Returns the names of the counters. */
export const countersOf = ({ counters = {} }: WithCounters): string[] => Object.keys(counters)

function validateCounterNames(set: WithCounters, path: FieldPath, max: number): FieldError[] {
  const at = path.child('counters')
  const names = countersOf(set)
  if (names.length === 0) return [required(at)]
  return [
    ...names.flatMap(name => validateLabelName(name, at.key(shortened(name, MAX_NAME)))),
    ...(names.length > max ? [tooMany(at, names.length, max)] : []),
  ]
}

/**
 * Validates a set of counters that devices of the slice share.
 * @param max limit on the number of its counters.
 */
export function validateCounterSet(set: CounterSet, path: FieldPath, max = Number.POSITIVE_INFINITY): FieldError[] {
  const at = path.child('name')
  return [...(set.name ? validateLabelName(set.name, at) : [required(at)]), ...validateCounterNames(set, path, max)]
}

/**
 * Validates the counters of a set that a device consumes. `validateShared` checks that the set exists.
 * @param max limit on the number of counters.
 */
export function validateConsumption(consumption: DeviceCounterConsumption, path: FieldPath, max = Number.POSITIVE_INFINITY): FieldError[] {
  return [...(consumption.counterSet ? [] : [required(path.child('counterSet'))]), ...validateCounterNames(consumption, path, max)]
}

/** Checks that the set and its counters exist. */
export function validateShared(consumption: DeviceCounterConsumption, shared: SharedCounters, path: FieldPath): FieldError[] {
  const set = consumption.counterSet
  const names = shared.get(set)
  if (!names) return [invalid(path.child('counterSet'), set, 'must reference a counterSet defined in the ResourceSlice sharedCounters')]
  return countersOf(consumption)
    .filter(name => !names.has(name))
    .map(name => invalid(path.child('counters'), name, 'must reference a counter defined in the ResourceSlice sharedCounters'))
}
