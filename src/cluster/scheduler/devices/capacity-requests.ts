import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  CapacityRequirements,
  Device,
  DeviceCapacity,
} from '../../../api/resource/v1beta2.types.ts'
import { MAX_INT64 } from '../../../lib/integer.ts'
import { addParsed, compareParsed, parseQuantity, type Quantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'

/** Amounts of capacities by name. */
export type CapacityAmounts = ReadonlyMap<string, Quantity>

/** Rules of a release for capacities. */
export interface CapacityRules {
  /** Whether steps of ranges may be fractions. Gate DRAFractionalCapacityRange. */
  readonly fractionalCapacity: boolean
  /**
   * Whether an amount that does not fit into 64 bits is an error, and rounded amounts have the notation of their step,
   * as from 1.37 on.
   */
  readonly checkedCapacity: boolean
}

/**
 * Returns what a request consumes of each capacity of a device. Undefined if the device has no capacity of a requested
 * name, or a policy forbids the amount. Throws an Error if the release checks amounts, and one is too large. Source:
 * CmpRequestOverCapacity of k8s.io/dynamic-resource-allocation/structured, but for the comparison with what is left.
 */
export function consumedAmounts(
  wanted: CapacityRequirements | undefined,
  { capacity = {} }: Device,
  rules: CapacityRules,
): CapacityAmounts | undefined {
  const requests = wanted?.requests ?? {}
  if (Object.keys(requests).some(name => !Object.hasOwn(capacity, name))) return undefined
  const amounts = new Map<string, Quantity>()
  for (const [name, each] of Object.entries(capacity)) {
    const amount = consumedAmount(name, Object.hasOwn(requests, name) ? requests[name] : undefined, each, rules)
    if (isForbidden(amount, each.requestPolicy, rules)) return undefined
    amounts.set(name, amount)
  }
  return amounts
}

function consumedAmount(
  name: string,
  requested: string | undefined,
  { value, requestPolicy }: DeviceCapacity,
  rules: CapacityRules,
): Quantity {
  if (requested === undefined) return parseQuantity(requestPolicy?.default ?? value)
  const { validRange, validValues } = requestPolicy ?? {}
  const amount = parseQuantity(requested)
  if (validRange?.min !== undefined) return roundUpToRange(name, amount, validRange, rules)
  return validValues?.map(parseQuantity).find(each => compareParsed(amount, each) <= 0) ?? amount
}

/** Returns the first multiple of the step above the minimum that is at least the amount. */
function roundUpToRange(name: string, amount: Quantity, range: CapacityRequestPolicyRange, rules: CapacityRules): Quantity {
  const least = parseQuantity(range.min ?? '0')
  if (compareParsed(amount, least) < 0) return least
  if (range.step === undefined) return amount
  const { milli, inUnit } = unitOf(range, rules)
  const [wanted, min, step] = [inUnit(amount.canonical), inUnit(range.min ?? '0'), inUnit(range.step)]
  if (step <= 0n) return amount
  const added = wanted - min
  const rounded = min + step * (added / step + (added % step === 0n ? 0n : 1n))
  if (rules.checkedCapacity && (rounded > MAX_INT64 || compareParsed(amount, parseQuantity(MAX_INT64.toString())) > 0))
    throw new Error(
      `capacity ${JSON.stringify(name)}: capacity request cannot be represented in the device's range arithmetic: request ${amount.canonical} exceeds MaxInt64`,
    )
  const isBinary = !rules.checkedCapacity || parseQuantity(range.step).format === 'BinarySI'
  const inUnits = (value: bigint): Quantity => parseQuantity(milli ? `${value}m` : `${value}`)
  // A sum has the notation of its first summand.
  return isBinary ? addParsed(KIBI, inUnits(rounded - (milli ? 1_024_000n : 1024n)), false) : inUnits(rounded)
}

const KIBI = parseQuantity('1Ki')

/**
 * Unit of the arithmetic with a range: thousandths if the release has them and they represent the whole range, or else
 * integers.
 */
function unitOf(
  { min, max, step }: CapacityRequestPolicyRange,
  { fractionalCapacity }: CapacityRules,
): { milli: boolean; inUnit: (text: string) => bigint } {
  const isExact = (text: string | undefined): boolean =>
    text === undefined || compareParsed(parseQuantity(text), parseQuantity(`${quantityMilliValue(text)}m`)) === 0
  const milli = fractionalCapacity && [min, max, step].every(isExact) && quantityMilliValue(step) >= 1n
  return { milli, inUnit: milli ? quantityMilliValue : quantityValue }
}

function isForbidden(amount: Quantity, policy: CapacityRequestPolicy | undefined, rules: CapacityRules): boolean {
  if (policy === undefined || (policy.default !== null && compareParsed(amount, parseQuantity(policy.default)) === 0)) return false
  const { validRange, validValues = [] } = policy
  if (validRange) return isOutside(amount, validRange, rules)
  return validValues.length > 0 && !validValues.some(each => compareParsed(amount, parseQuantity(each)) === 0)
}

function isOutside(amount: Quantity, range: CapacityRequestPolicyRange, rules: CapacityRules): boolean {
  if (range.max !== undefined && compareParsed(amount, parseQuantity(range.max)) > 0) return true
  if (range.step === undefined) return false
  const { inUnit } = unitOf(range, rules)
  const step = inUnit(range.step)
  return step > 0n && (inUnit(amount.canonical) - inUnit(range.min ?? '0')) % step !== 0n
}
