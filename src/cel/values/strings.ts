/** Reports whether a text contains surrogates, so that UTF-16 units are not code points. */
export function hasSurrogates(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xf800) === 0xd800) return true
  }
  return false
}

/** Counts code points. */
export function codePoints(text: string): number {
  let count = text.length
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--
  }
  return count
}

/** A text that is indexed by code points. */
export interface Points {
  readonly length: number
  /** @param end exclusive. Default: the end of the text. */
  slice(start: number, end?: number): string
}

/** Indexes a text by code points. Texts without surrogates are not copied. */
export function pointsOf(text: string): Points {
  if (!hasSurrogates(text)) return text
  const points = Array.from(text)
  return { length: points.length, slice: (start, end) => points.slice(start, end).join('') }
}
