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

/** Indexes a well-formed text by code points. */
export function pointsOf(text: string): Points {
  if (!hasSurrogates(text)) return text
  const length = codePoints(text)
  return {
    length,
    slice(start, end = length) {
      const first = unitAfter(text, 0, start)
      return text.slice(first, end === length ? text.length : unitAfter(text, first, end - start))
    },
  }
}

/** Returns the index of the unit after a number of code points. */
function unitAfter(text: string, from: number, points: number): number {
  let unit = from
  for (let i = 0; i < points; i++) unit += (text.charCodeAt(unit) & 0xfc00) === 0xd800 ? 2 : 1
  return unit
}
