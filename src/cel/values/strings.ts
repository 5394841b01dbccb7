/** Whether a text has characters of two units: then units are no code points. */
export function hasSurrogates(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xf800) === 0xd800) return true
  }
  return false
}

/** Number of code points. */
export function codePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--
  }
  return count
}

/** A text whose places are counted in code points. */
export interface Points {
  readonly length: number
  /** @param end absent: to the end. */
  slice(start: number, end?: number): string
}

/** Of most texts, which have one unit for each character, it takes no copy. */
export function pointsOf(text: string): Points {
  if (!hasSurrogates(text)) return text
  const points = Array.from(text)
  return { length: points.length, slice: (start, end) => points.slice(start, end).join('') }
}
