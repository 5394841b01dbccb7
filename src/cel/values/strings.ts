/** Reports whether a text contains surrogates, so that UTF-16 units are not code points. */
export const hasSurrogates = (text: string): boolean => /[\ud800-\udfff]/.test(text)

const LONG_TEXT = 1000

/** Counts code points. */
export function codePoints(text: string): number {
  let count = text.length
  // V8 finds out at once that a text in Latin-1 has none, but an expression costs more than the loop for a short text.
  if (count > LONG_TEXT && !hasSurrogates(text)) return count
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
