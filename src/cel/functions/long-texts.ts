import { indexOfText, splitText } from '../../lib/find-text.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { longCall } from '../long-work.ts'
import type { Int } from '../values/value.ts'
import { spendWork } from '../work.ts'

/** Characters or parts of a step: some hundred microseconds. */
const STEP = 16_384

/** Returns the end of a piece of a text that divides no character. */
function pieceEnd(text: string, start: number): number {
  const end = start + STEP
  return end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end + 1 : end
}

function* changedInSteps(text: string, change: (piece: string) => string): Steps<string> {
  let changed = ''
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start)
    changed += change(text.slice(start, end))
    start = end
    yield
  }
  return changed
}

/** Changes each character of a text. The text is the only long one of the current call. */
export const changeText = (text: string, change: (piece: string) => string): string =>
  text.length <= STEP ? change(text) : longCall(() => changedInSteps(text, change))

/** A replacement of parts of a text. An empty part is found before and after each character. */
interface Replacement {
  readonly from: string
  readonly to: string
  /** Maximum number of replacements, negative for all. */
  readonly limit: Int
}

/** Replaces parts of a text, in steps. */
export function* replaceInSteps(text: string, { from, to, limit }: Replacement): Steps<string> {
  spendWork(text.length)
  const growth = Math.max(0, to.length - from.length)
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit)
  let replaced = ''
  let parts: string[] = []
  let start = 0
  for (let count = 0; count < most; count++) {
    const end = from === '' ? characterEnd(text, start, count === 0) : indexOfText(text, from, start)
    if (end < 0) break
    parts.push(text.slice(start, end))
    start = end + from.length
    if (parts.length < STEP) continue
    spendWork(parts.length * growth)
    replaced += parts.join(to) + to
    parts = []
    yield
  }
  spendWork(parts.length * growth)
  parts.push(text.slice(start))
  return replaced + parts.join(to)
}

/** Returns the end of the next character: before the first one, the beginning of the text. -1 at the end. */
function characterEnd(text: string, start: number, isFirst: boolean): number {
  if (isFirst) return 0
  return start === text.length ? -1 : start + ((text.charCodeAt(start) & 0xfc00) === 0xd800 ? 2 : 1)
}

/** Splits a text at a separator in steps. An empty separator gives the characters. */
export function* textParts(text: string, separator: string): Steps<string[]> {
  if (text.length <= STEP) return separator === '' ? Array.from(text) : splitText(text, separator)
  return yield* separator === '' ? characters(text) : partsBetween(text, separator)
}

function* characters(text: string): Steps<string[]> {
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start)
    for (const point of text.slice(start, end)) parts.push(point)
    start = end
    yield
  }
  return parts
}

function* partsBetween(text: string, separator: string): Steps<string[]> {
  const parts: string[] = []
  for (let start = 0; ; ) {
    if (isStepDone()) yield
    const end = indexOfText(text, separator, start)
    if (end < 0) {
      parts.push(text.slice(start))
      return parts
    }
    parts.push(text.slice(start, end))
    start = end + separator.length
  }
}

/** Joins parts in steps. */
export function* joinParts(parts: readonly string[], separator: string): Steps<string> {
  if (parts.length <= STEP) return parts.join(separator)
  let joined = ''
  for (let i = 0; i < parts.length; i += STEP) {
    joined += `${i === 0 ? '' : separator}${parts.slice(i, i + STEP).join(separator)}`
    yield
  }
  return joined
}
