import { lineDiff } from './line-diff.ts'

/** A run of `size` equal lines, from `a` in the first text and `b` in the second. */
export interface Match {
  /** Index of the first line in the first text, from 0. */
  readonly a: number
  /** Index of the first line in the second text, from 0. */
  readonly b: number
  readonly size: number
}

/** Number of equal lines shown around changed ones. */
const CONTEXT = 3

/**
 * Returns the unified diff of two texts, without file names. Empty if they are equal. @param firstLine number of the
 * first line of both.
 */
export function textDiff(before: string, after: string, firstLine = 1): string {
  const [a, b] = [linesOf(before), linesOf(after)]
  return hunksText(matchesOf(a, b), a, b, firstLine)
}

/** Splits a text into lines with their ends. The last line gets one if it has none. */
const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n')).map(line => `${line}\n`)

/** Returns the runs of equal lines. */
function matchesOf(a: readonly string[], b: readonly string[]): Match[] {
  const matches: Match[] = []
  let [inA, inB, size] = [0, 0, 0]
  for (const { sign } of [...lineDiff(a, b), { sign: '-' }]) {
    if (sign !== ' ' && size > 0) {
      matches.push({ a: inA - size, b: inB - size, size })
      size = 0
    }
    if (sign !== '+') inA++
    if (sign !== '-') inB++
    if (sign === ' ') size++
  }
  return matches
}

/**
 * Formats the differences of two texts, given as lines with their ends, as hunks of a unified diff. @param matches
 * equal lines, in order. @param firstLine number of the first line of both texts. Source: go-difflib.
 */
export const hunksText = (matches: readonly Match[], a: readonly string[], b: readonly string[], firstLine = 1): string =>
  hunksOf(matches, a.length, b.length)
    .map(hunk => hunkText(hunk, a, b, firstLine))
    .join('')

/** A part of both texts that is equal or replaced. Ends are exclusive. */
interface DiffPart {
  /** Whether the lines of both texts are equal. */
  readonly isSame: boolean
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

/** Completes matches with the parts between them. */
function diffParts(matches: readonly Match[], aLength: number, bLength: number): DiffPart[] {
  const parts: DiffPart[] = []
  let [a, b] = [0, 0]
  for (const match of [...matches, { a: aLength, b: bLength, size: 0 }]) {
    if (a < match.a || b < match.b) parts.push({ isSame: false, aFrom: a, aTo: match.a, bFrom: b, bTo: match.b })
    ;[a, b] = [match.a + match.size, match.b + match.size]
    if (match.size > 0) parts.push({ isSame: true, aFrom: match.a, aTo: a, bFrom: match.b, bTo: b })
  }
  return parts
}

/** Groups changed parts with the lines around them. Adjacent ones form one hunk. */
function hunksOf(matches: readonly Match[], aLength: number, bLength: number): DiffPart[][] {
  const hunks: DiffPart[][] = [[]]
  const parts = diffParts(matches, aLength, bLength)
  const head = ({ aFrom, bFrom, ...part }: DiffPart): DiffPart => ({
    ...part,
    aFrom,
    bFrom,
    aTo: Math.min(part.aTo, aFrom + CONTEXT),
    bTo: Math.min(part.bTo, bFrom + CONTEXT),
  })
  const tail = ({ aTo, bTo, ...part }: DiffPart): DiffPart => ({
    ...part,
    aTo,
    bTo,
    aFrom: Math.max(part.aFrom, aTo - CONTEXT),
    bFrom: Math.max(part.bFrom, bTo - CONTEXT),
  })
  for (const [i, part] of parts.entries()) {
    const isEdge = i === 0 || i === parts.length - 1
    if (!part.isSame || (!isEdge && part.aTo - part.aFrom <= 2 * CONTEXT)) hunks.at(-1)?.push(part)
    else {
      if (i > 0) hunks.at(-1)?.push(head(part))
      if (i < parts.length - 1) hunks.push([tail(part)])
    }
  }
  return hunks.filter(hunk => hunk.some(({ isSame }) => !isSame))
}

/** Formats a hunk. An empty range names the line before it. */
function hunkText(hunk: readonly DiffPart[], a: readonly string[], b: readonly string[], firstLine: number): string {
  const [first, last] = [hunk[0], hunk.at(-1)]
  const range = (from = 0, to = 0): string =>
    to - from === 1 ? `${from + firstLine}` : `${to === from ? from + firstLine - 1 : from + firstLine},${to - from}`
  const signed = (sign: string, lines: readonly string[]): string[] => lines.map(line => sign + line)
  const lines = hunk.flatMap(({ isSame, aFrom, aTo, bFrom, bTo }) =>
    isSame ? signed(' ', a.slice(aFrom, aTo)) : [...signed('-', a.slice(aFrom, aTo)), ...signed('+', b.slice(bFrom, bTo))],
  )
  return `@@ -${range(first?.aFrom, last?.aTo)} +${range(first?.bFrom, last?.bTo)} @@\n${lines.join('')}`
}
