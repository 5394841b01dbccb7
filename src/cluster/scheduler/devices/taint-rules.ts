import type { DeviceTaintRule } from '../../../api/resource/v1alpha3.types.ts'
import type { DeviceClass, DeviceSelector, DeviceTaint } from '../../../api/resource/v1beta2.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { DeviceMatcher } from './device-selectors.ts'
import type { OfferedDevice } from './offered-devices.ts'

/** Returns the taints that rules give a device. Throws an Error if an expression of a rule is invalid. */
export type RuleTaints = (device: OfferedDevice) => readonly DeviceTaint[]

/**
 * Returns a function that finds the taints of DeviceTaintRules, in their order. A rule without a selector taints all
 * devices. Source: k8s.io/dynamic-resource-allocation/resourceslice/tracker.
 *
 * @param classOf returns a class by its name; before 1.35, a rule may select the devices of one
 */
export function taintsByRules(
  rules: readonly DeviceTaintRule[],
  matches: DeviceMatcher,
  classOf: (name: string) => DeviceClass | undefined,
): RuleTaints {
  return device => rules.filter(rule => isSelected(rule, device, matches, classOf)).map(({ spec }) => spec.taint)
}

function isSelected(
  { metadata, spec: { deviceSelector } }: DeviceTaintRule,
  offered: OfferedDevice,
  matches: DeviceMatcher,
  classOf: (name: string) => DeviceClass | undefined,
): boolean {
  if (deviceSelector === undefined) return true
  const { driver = offered.driver, pool = offered.pool, device = offered.device.name, deviceClassName, selectors = [] } = deviceSelector
  if (driver !== offered.driver || pool !== offered.pool || device !== offered.device.name) return false
  const deviceClass = deviceClassName === undefined ? undefined : classOf(deviceClassName)
  if (deviceClassName !== undefined && deviceClass === undefined) return false
  const expressions = [...(deviceClass?.spec.selectors ?? []), ...selectors]
  return expressions.every((selector, i) => isMatched(selector, `DeviceTaintRule ${metadata.name}: selector #${i}`, offered, matches))
}

/** A device for which the expression fails does not match. */
function isMatched({ cel }: DeviceSelector, at: string, device: OfferedDevice, matches: DeviceMatcher): boolean {
  try {
    return matches(cel?.expression ?? '', device)
  } catch (error) {
    const message = errorMessage(error)
    if (message.startsWith('CEL runtime error')) return false
    throw new Error(`${at}: ${message}`, { cause: error })
  }
}
