import type { DeviceAttribute, DeviceConstraint } from '../../../api/resource/v1beta2.types.ts'
import type { RequestAlternative } from './claim-requests.ts'
import type { DerivedAttributes } from './derived-attributes.ts'
import type { OfferedDevice } from './offered-devices.ts'

/** State of a constraint while devices are chosen. */
export interface AttributeConstraint {
  /** Takes a device into account. Returns false, and changes nothing, if it breaks the constraint. */
  add(alternative: RequestAlternative, device: OfferedDevice): boolean
  /** Takes back the last device that was added. */
  remove(alternative: RequestAlternative): void
}

/** Returns an attribute of a device by its fully qualified name. Names without a domain belong to the driver. */
function attributeOf({ driver, device }: OfferedDevice, name: string): DeviceAttribute | undefined {
  const slash = name.indexOf('/')
  const { attributes = {} } = device
  if (Object.hasOwn(attributes, name)) return attributes[name]
  const id = name.slice(slash + 1)
  return slash >= 0 && name.slice(0, slash) === driver && Object.hasOwn(attributes, id) ? attributes[id] : undefined
}

/** Returns the value of an attribute as text that differs for each type and value. Undefined for unknown types. */
function valueKey({ string, int, bool, version }: DeviceAttribute): string | undefined {
  if (string !== undefined) return `string ${string}`
  if (int !== undefined) return `int ${int}`
  if (bool !== undefined) return `bool ${bool}`
  return version === undefined ? undefined : `version ${version}`
}

/**
 * Begins a constraint. Undefined if its type is unknown to the release. @param hasDistinct whether the release has
 * `distinctAttribute` @param derived Optional. Attributes of requests, which come before those of devices
 */
export function beginConstraint(
  { requests = [], matchAttribute, distinctAttribute }: DeviceConstraint,
  hasDistinct: boolean,
  derived?: DerivedAttributes,
): AttributeConstraint | undefined {
  const name = matchAttribute ?? (hasDistinct ? distinctAttribute : undefined)
  if (name === undefined) return undefined
  const values: string[] = []
  const concerns = (alternative: RequestAlternative): boolean =>
    requests.length === 0 || requests.includes(alternative.name) || requests.includes(alternative.requestName)
  const isAllowed =
    matchAttribute === undefined
      ? (value: string) => !values.includes(value)
      : (value: string) => values.length === 0 || values[0] === value
  return {
    add(alternative, device) {
      if (!concerns(alternative)) return true
      const attribute = attributeOf(device, name)
      const value = derived?.valueOf(alternative, device, name) ?? (attribute && valueKey(attribute))
      if (value === undefined || !isAllowed(value)) return false
      values.push(value)
      return true
    },
    remove(alternative) {
      if (concerns(alternative)) values.pop()
    },
  }
}
