/** Orders as the bytes of UTF-8 are ordered, and as Go compares strings: by code points. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) {
      // A surrogate stands for a character beyond all that have one unit.
      const xWide = (x & 0xf800) === 0xd800
      return xWide === ((y & 0xf800) === 0xd800) ? x - y : xWide ? 1 : -1
    }
  }
  return a.length - b.length
}

/** Orders as `<` does, by UTF-16 units: as bytes are ordered where all characters are below U+0100. */
export const compareUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
