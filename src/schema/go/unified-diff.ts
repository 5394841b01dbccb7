import { type Match, matchingLines } from './line-matcher.ts'

/** Number of equal lines shown around changed ones. */
const CONTEXT = 3

/** Returns the unified diff of two texts, given as lines with their ends, without file names. Undefined if there is too much to compare. Source: go-difflib. */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string | undefined {
  const matches = matchingLines(a, b)
  return (
    matches &&
    hunksOf(matches, a.length, b.length)
      .map(hunk => hunkText(hunk, a, b))
      .join('')
  )
}

/** A part of both texts that is equal or replaced. Ends are exclusive. */
interface Part {
  readonly isSame: boolean
  readonly aFrom: number
  readonly aTo: number
  readonly bFrom: number
  readonly bTo: number
}

function partsOf(matches: readonly Match[], aLength: number, bLength: number): Part[] {
  const parts: Part[] = []
  let [a, b] = [0, 0]
  for (const match of [...matches, { a: aLength, b: bLength, size: 0 }]) {
    if (a < match.a || b < match.b) parts.push({ isSame: false, aFrom: a, aTo: match.a, bFrom: b, bTo: match.b })
    ;[a, b] = [match.a + match.size, match.b + match.size]
    if (match.size > 0) parts.push({ isSame: true, aFrom: match.a, aTo: a, bFrom: match.b, bTo: b })
  }
  return parts
}

/** Groups changed parts with the lines around them. Adjacent ones form one hunk. */
function hunksOf(matches: readonly Match[], aLength: number, bLength: number): Part[][] {
  const hunks: Part[][] = [[]]
  const parts = partsOf(matches, aLength, bLength)
  const head = ({ aFrom, bFrom, ...part }: Part): Part => ({
    ...part,
    aFrom,
    bFrom,
    aTo: Math.min(part.aTo, aFrom + CONTEXT),
    bTo: Math.min(part.bTo, bFrom + CONTEXT),
  })
  const tail = ({ aTo, bTo, ...part }: Part): Part => ({
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

function hunkText(hunk: readonly Part[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)]
  const range = (from = 0, to = 0): string => (to - from === 1 ? `${from + 1}` : `${to === from ? from : from + 1},${to - from}`)
  const signed = (sign: string, lines: readonly string[]): string[] => lines.map(line => sign + line)
  const lines = hunk.flatMap(({ isSame, aFrom, aTo, bFrom, bTo }) =>
    isSame ? signed(' ', a.slice(aFrom, aTo)) : [...signed('-', a.slice(aFrom, aTo)), ...signed('+', b.slice(bFrom, bTo))],
  )
  return `@@ -${range(first?.aFrom, last?.aTo)} +${range(first?.bFrom, last?.bTo)} @@\n${lines.join('')}`
}
