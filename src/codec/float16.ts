/** IEEE 754 binary16, which CBOR writes where a number survives it. */

/** The number that sixteen bits stand for; NaN and infinities too. */
export function readFloat16(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** The sixteen bits of a finite number; undefined where they could not hold it. */
export function toFloat16(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const size = Math.abs(value)
  if (size === 0) return sign
  if (size > 65504) return undefined
  if (size < 2 ** -14) {
    const fraction = size * 2 ** 24
    return Number.isInteger(fraction) ? sign | fraction : undefined
  }
  const exponent = Math.floor(Math.log2(size))
  // log2 may round up where a number lies just below a power of two; such a one has too many digits anyway.
  const fraction = (size / 2 ** exponent - 1) * 1024
  return Number.isInteger(fraction) && fraction >= 0 && fraction < 1024 ? sign | ((exponent + 15) << 10) | fraction : undefined
}
