import { EVENT_ID, type Event, parseEvents, YAMLException } from 'js-yaml'

/** Flow collections and quoted scalars whose lines are joined before the text is given up. Each costs another pass. */
const MOST_JOINED = 200
/** Characters that these passes parse together before the text is given up: half a minute at most. */
const MOST_PARSED = 64 << 20

/**
 * Parses a text like js-yaml, but does not look at the indentation of lines within flow collections and quoted scalars,
 * as go-yaml does not:
 *
 *     args: [
 *       "--port=80",
 *     ]
 *
 * js-yaml requires that the last line is indented further than `args`. Offsets in the events are those of the text.
 * Throws YAMLException.
 */
export function parseFlowEvents(text: string, maxDepth: number, mostParsed = MOST_PARSED): Event[] {
  let joined = text
  let parsed = 0
  for (let i = 0; ; i++)
    try {
      const events = parseEvents(joined, { filename: '', maxDepth })
      return joined === text ? events : events.map(event => withBreaks(event, text))
    } catch (error) {
      const at = error instanceof YAMLException && error.reason === 'deficient indentation' ? error.mark?.position : undefined
      parsed += at ?? 0
      const isGivenUp = at === undefined || i >= MOST_JOINED || parsed > mostParsed
      const next = isGivenUp ? joined : (joinScalarLines(joined, at) ?? joinFlowLines(joined, at))
      if (next === joined) throw error
      joined = next
    }
}

/** Lets a quoted scalar be decoded with the line breaks of the text. `fast` says that its range is its value. */
const withBreaks = (event: Event, text: string): Event =>
  event.type === EVENT_ID.SCALAR && event.fast && /[\n\r]/.test(text.slice(event.valueStart, event.valueEnd))
    ? { ...event, fast: false }
    : event

/**
 * A quoted scalar (up to the end if it is not closed), a comment, blanks, an indicator, or the rest of a word. Quotes
 * within a word are part of it.
 */
const TOKENS = /"(?:[^"\\]|\\.)*"?|'[^']*'?|#[^\n]*|\s+|[[\]{},]|:(?=["'[{\s])|(?:(?!:["'[{\s])[^\s[\]{},])+/gs

const isGap = (token: string): boolean => /^[\s#]/.test(token)

/** Lines above an offset that a quoted scalar may have. */
const MOST_LINES = 50

/** Replaces the line breaks of the quoted scalar around an offset by blanks. Undefined if there is none. */
function joinScalarLines(text: string, at: number): string | undefined {
  let start = at
  for (let i = 0; i < MOST_LINES && start > 0; i++) {
    start = lineBefore(text, start)
    let end = start
    for (const { 0: token } of text.slice(start, at + MOST_CHARACTERS).matchAll(TOKENS)) {
      const from = end
      end += token.length
      if (end <= at) continue
      if (from < at && /^["']/.test(token)) return `${text.slice(0, from)}${token.replace(/[\n\r]/g, ' ')}${text.slice(end)}`
      break
    }
  }
  return undefined
}

/** Characters after an offset that a quoted scalar may have. */
const MOST_CHARACTERS = 10_000

/**
 * Replaces the line breaks and comments between the items of a flow collection by blanks, from the line before an
 * offset to the end of the innermost collection at the offset. Line breaks within scalars stay.
 */
function joinFlowLines(text: string, at: number): string {
  const start = lineBefore(text, at)
  const pieces = [text.slice(0, start)]
  const gap: string[] = []
  let before = ''
  let depth = 0
  let end = start
  for (const { 0: token } of text.slice(start).matchAll(TOKENS)) {
    end += token.length
    if (isGap(token)) {
      gap.push(token)
      continue
    }
    const isBetween = /^[[{,:]$/.test(before) || /^[\]},]$/.test(token)
    pieces.push(...gap.splice(0).map(each => (isBetween || each.startsWith('#') ? ' '.repeat(each.length) : each)), token)
    before = token
    if (token === '[' || token === '{') depth++
    if (token !== ']' && token !== '}') continue
    depth--
    if (end > at && depth <= 0) break
  }
  return `${pieces.join('')}${gap.join('')}${text.slice(end)}`
}

/** Returns the start of the nearest line above an offset that has more than a comment. */
function lineBefore(text: string, at: number): number {
  let start = text.lastIndexOf('\n', at - 1) + 1
  while (start > 0) {
    const end = start - 1
    start = text.lastIndexOf('\n', end - 1) + 1
    if (!/^\s*(?:#|$)/.test(text.slice(start, end))) break
  }
  return start
}
