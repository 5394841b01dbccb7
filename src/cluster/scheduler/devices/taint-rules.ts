import type { DeviceTaintRule } from '../../../api/resource/v1alpha3.types.ts'
import type { DeviceClass, DeviceSelector, DeviceTaint } from '../../../api/resource/v1beta2.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { ClusterObjects } from '../snapshot.ts'
import type { DeviceMatcher } from './device-selectors.ts'
import type { OfferedDevice } from './offered-devices.ts'

/** Returns the taints that rules give a device, in steps. Throws an Error if an expression of a rule is invalid. */
export type RuleTaints = (device: OfferedDevice) => Steps<readonly DeviceTaint[]>

/**
 * Returns a function that finds the taints of DeviceTaintRules, in their order, and keeps those of each device. A rule
 * without a selector taints all devices. Source: k8s.io/dynamic-resource-allocation/resourceslice/tracker.
 *
 * @param classOf returns a class by its name; before 1.35, a rule may select the devices of one
 */
export function taintsByRules(
  rules: readonly DeviceTaintRule[],
  matches: DeviceMatcher,
  classOf: (name: string) => DeviceClass | undefined,
): RuleTaints {
  const known = new WeakMap<OfferedDevice, readonly DeviceTaint[]>()
  return function* (device) {
    const before = known.get(device)
    if (before) return before
    const taints: DeviceTaint[] = []
    for (const rule of rules) if (yield* isSelected(rule, device, matches, classOf)) taints.push(rule.spec.taint)
    known.set(device, taints)
    return taints
  }
}

/** Taints by a list of rules, and what they were found with. */
interface FoundTaints {
  readonly classes: readonly DeviceClass[]
  readonly matches: DeviceMatcher
  readonly taintsOf: RuleTaints
}

const found = new WeakMap<readonly DeviceTaintRule[], FoundTaints>()

/**
 * Returns a function that finds the taints of all rules. It is the same one for all pods until a rule or a class
 * changes. Undefined if there are no rules.
 */
export function ruleTaintsOf(objects: ClusterObjects, matches: DeviceMatcher): RuleTaints | undefined {
  const rules = objects.list<DeviceTaintRule>('DeviceTaintRule')
  if (rules.length === 0) return undefined
  const classes = objects.list<DeviceClass>('DeviceClass')
  const before = found.get(rules)
  if (before?.classes === classes && before.matches === matches) return before.taintsOf
  const taintsOf = taintsByRules(rules, matches, name => objects.get<DeviceClass>('DeviceClass', '', name))
  found.set(rules, { classes, matches, taintsOf })
  return taintsOf
}

function* isSelected(
  { metadata, spec: { deviceSelector } }: DeviceTaintRule,
  offered: OfferedDevice,
  matches: DeviceMatcher,
  classOf: (name: string) => DeviceClass | undefined,
): Steps<boolean> {
  if (deviceSelector === undefined) return true
  const { driver = offered.driver, pool = offered.pool, device = offered.device.name, deviceClassName, selectors = [] } = deviceSelector
  if (driver !== offered.driver || pool !== offered.pool || device !== offered.device.name) return false
  const deviceClass = deviceClassName === undefined ? undefined : classOf(deviceClassName)
  if (deviceClassName !== undefined && deviceClass === undefined) return false
  const expressions = [...(deviceClass?.spec.selectors ?? []), ...selectors]
  for (const [i, selector] of expressions.entries())
    if (!(yield* isMatched(selector, `DeviceTaintRule ${metadata.name}: selector #${i}`, offered, matches))) return false
  return true
}

/** A device for which the expression fails does not match. */
function* isMatched({ cel }: DeviceSelector, at: string, device: OfferedDevice, matches: DeviceMatcher): Steps<boolean> {
  try {
    return yield* matches(cel?.expression ?? '', device)
  } catch (error) {
    const message = errorMessage(error)
    if (message.startsWith('CEL runtime error')) return false
    throw new Error(`${at}: ${message}`, { cause: error })
  }
}
