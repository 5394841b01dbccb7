import { inInt64 } from '../../lib/integer.ts'
import { addParsed, compareParsed, parseQuantity, type Quantity, QuantityError, quantitySign } from '../../meta/quantity.ts'
import { toInt } from '../values/integer.ts'
import { CelDouble, CelError, CelObject, type Int, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/**
 * A value of `quantity()`: an exact amount such as `1.5Gi`. Quantities are compared by value, so `1000m` equals `1`.
 */
export class QuantityValue extends CelObject {
  readonly typeName = 'kubernetes.Quantity'
  readonly quantity: Quantity
  /** Whether it is a sum. Upstream's sums have another Go type, which equals no value. */
  readonly #isSum: boolean

  constructor(quantity: Quantity, isSum = false) {
    super()
    this.quantity = quantity
    this.#isSum = isSum
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.#isSum) return noSuchOverload(other)
    return compareParsed(this.quantity, other.quantity) === 0
  }
}

/** Returns the quantity, or an error if it exceeds the supported number of digits. */
function guarded(make: () => Value): Value {
  try {
    return make()
  } catch (fault) {
    if (fault instanceof QuantityError) return new CelError(fault.message)
    throw fault
  }
}

const fromText = (text: string): Value => guarded(() => new QuantityValue(parseQuantity(text)))

/** Reports whether `quantity()` accepts the text. */
function isQuantityText(text: string): Value {
  return !(fromText(text) instanceof CelError)
}

/** Compares by value: `1` and `1000m` are equal. */
const compareQuantityValues = (a: QuantityValue, b: QuantityValue): number => compareParsed(a.quantity, b.quantity)

/** Makes `add` or `sub`. The suffixes of the quantities may differ. */
const combined =
  (subtracts: boolean) =>
  (a: QuantityValue, b: QuantityValue): Value =>
    guarded(() => new QuantityValue(addParsed(a.quantity, b.quantity, subtracts), true))

const combinedWithInt =
  (subtracts: boolean) =>
  (a: QuantityValue, b: Int): Value =>
    guarded(() => new QuantityValue(addParsed(a.quantity, ofInt(b), subtracts), true))

/** Converts an int to a quantity. */
const ofInt = (value: Int): Quantity => ({
  value: BigInt(value),
  scale: 0,
  format: 'DecimalExponent',
  small: true,
  canonical: String(value),
})

/**
 * Returns the integer value if Go holds the quantity as an int64. A quantity with a fraction is not, even if the
 * fraction is zero.
 */
function quantityInteger({ quantity: { value, scale, small } }: QuantityValue): bigint | undefined {
  if (!small || scale < 0 || scale > 18) return undefined
  const whole = value * 10n ** BigInt(scale)
  return inInt64(whole) ? whole : undefined
}

function asInteger(quantity: QuantityValue): Value {
  const value = quantityInteger(quantity)
  return value === undefined ? new CelError('cannot convert value to integer') : toInt(value)
}

/** Computes the number times a power of ten, as apimachinery does. */
function asDouble({ quantity: { value, scale } }: QuantityValue): Value {
  return new CelDouble(Number(value) * 10 ** scale)
}

/** Functions of quantities. Source: kubernetes/apiserver, pkg/cel/library/quantity.go. */
export const QUANTITY_FUNCTIONS: Implementations = {
  quantity_add: combined(false),
  quantity_add_int: combinedWithInt(false),
  quantity_get_float: asDouble,
  quantity_get_int: asInteger,
  quantity_compare_to: compareQuantityValues,
  quantity_is_greater_than: (a: QuantityValue, b: QuantityValue) => compareQuantityValues(a, b) > 0,
  quantity_is_integer: (quantity: QuantityValue) => quantityInteger(quantity) !== undefined,
  quantity_is_less_than: (a: QuantityValue, b: QuantityValue) => compareQuantityValues(a, b) < 0,
  is_quantity_string: isQuantityText,
  string_to_quantity: fromText,
  quantity_sign: ({ quantity }: QuantityValue) => quantitySign(quantity.canonical),
  quantity_sub: combined(true),
  quantity_sub_int: combinedWithInt(true),
}
