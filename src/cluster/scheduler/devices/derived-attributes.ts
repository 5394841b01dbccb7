import { SemverValue } from '../../../cel/functions/semver.ts'
import { typeNameOf, type Value } from '../../../cel/values/value.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { RequestAlternative } from './claim-requests.ts'
import type { DeviceEvaluator } from './device-selectors.ts'
import type { OfferedDevice } from './offered-devices.ts'

/**
 * Attributes that requests compute for the devices they select, for constraints. Source:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-scheduling/6080-dra-derived-attributes
 */
export class DerivedAttributes {
  readonly #evaluate: DeviceEvaluator
  /** Values by device and name, as text that differs for each type and value. */
  readonly #values = new Map<RequestAlternative, Map<OfferedDevice, ReadonlyMap<string, string>>>()

  constructor(evaluate: DeviceEvaluator) {
    this.#evaluate = evaluate
  }

  /** Computes the attributes of a device. Throws an Error if an expression is invalid or fails. */
  *derive(alternative: RequestAlternative, device: OfferedDevice): Steps<void> {
    const known = this.#values.get(alternative) ?? new Map<OfferedDevice, ReadonlyMap<string, string>>()
    this.#values.set(alternative, known)
    if (known.has(device)) return
    const values = new Map<string, string>()
    for (const { name, expression } of alternative.derivedAttributes)
      try {
        values.set(name, derivedKey(yield* this.#evaluate(expression, device)))
      } catch (error) {
        throw new Error(`derived attribute ${name} of device ${device.id}: ${errorMessage(error)}`, { cause: error })
      }
    known.set(device, values)
  }

  /** Returns the value of an attribute that was computed. Undefined if the request has none of the name. */
  valueOf(alternative: RequestAlternative, device: OfferedDevice, name: string): string | undefined {
    return this.#values.get(alternative)?.get(device)?.get(name)
  }
}

/** Returns a value as constraints compare it with values of attributes. */
function derivedKey(value: Value | undefined): string {
  if (typeof value === 'string') return `string ${value}`
  if (value !== undefined && typeNameOf(value) === 'int') return `int ${value}`
  if (typeof value === 'boolean') return `bool ${value}`
  if (value instanceof SemverValue) {
    const { numbers, prerelease } = value.version
    return `version ${[numbers.join('.'), ...(prerelease.length > 0 ? [prerelease.join('.')] : [])].join('-')}`
  }
  throw new Error(`unsupported type ${value === undefined ? 'null' : typeNameOf(value)}`)
}
