/** IEEE 754 binary16, which CBOR uses for numbers that it represents exactly. */

/** Decodes a float of 16 bits, including NaN and infinities. */
export function readFloat16(bits: number): number {
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  const sign = bits & 0x8000 ? -1 : 1
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** Encodes a finite number in 16 bits; undefined if that would lose precision or range. */
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
  // log2 may round up just below a power of two. Such a number has too many digits for 16 bits anyway.
  const fraction = (size / 2 ** exponent - 1) * 1024
  return Number.isInteger(fraction) && fraction >= 0 && fraction < 1024 ? sign | ((exponent + 15) << 10) | fraction : undefined
}
