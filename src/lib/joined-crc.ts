/** Polynomial of the CRC-32 of gzip (RFC 1952, section 8). */
const POLYNOMIAL = 0xedb88320

/** Product of two polynomials over GF(2) modulo that of the CRC. Bits are in reverse order. */
function product(a: number, b: number): number {
  let sum = 0
  let factor = b
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) sum ^= factor
    factor = factor & 1 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1
  }
  return sum >>> 0
}

/** Powers of x with exponents 1, 2, 4, … */
const powers = new Uint32Array(32)
for (let n = 0, power = 0x40000000; n < powers.length; n++, power = product(power, power)) powers[n] = power

/** Factor by which this many following bytes shift a CRC: the second argument of `joined`. */
export function shiftBy(bytes: number): number {
  let shift = 0x80000000
  // A byte has eight bits, so the loop starts at the third power.
  for (let n = 3, left = bytes; left > 0; n++, left = Math.floor(left / 2)) if (left % 2 === 1) shift = product(powers[n % 32] ?? 0, shift)
  return shift
}

/** Combines the CRCs of two adjacent texts. Source: crc32_combine of zlib. */
export const combineCrc32 = (before: number, shiftOfAfter: number, after: number): number => (product(shiftOfAfter, before) ^ after) >>> 0
