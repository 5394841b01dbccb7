/** Characters of equal pieces, which the runtime compares at once. */
const PIECE = 1024

/** Compares strings like Go: by code points, which is the order of their UTF-8 bytes. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let start = 0
  while (length - start > PIECE && a.slice(start, start + PIECE) === b.slice(start, start + PIECE)) start += PIECE
  for (let i = start; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) {
      // A surrogate is half of a character beyond all those of a single unit.
      const xWide = (x & 0xf800) === 0xd800
      return xWide === ((y & 0xf800) === 0xd800) ? x - y : xWide ? 1 : -1
    }
  }
  return a.length - b.length
}

/** Compares strings by UTF-16 units, like `<`. Equals the order of their bytes if all characters are below U+0100. */
export const compareUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Compares by name, like Go. */
export const compareNames = (a: { readonly name: string }, b: { readonly name: string }): number => compareText(a.name, b.name)
