import { quote } from '../../../lib/go-quote.ts'

/** Interval of indexes. Sets of indexes are written as `1,3-5,7`, in order. */
type Interval = readonly [from: number, to: number]

/** Parses an index below `completions`. Throws an Error with upstream's message. */
function parseIndex(text: string, completions: number): number {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new Error(`cannot convert string to integer for index: ${quote(text)}`)
  const index = Number(text)
  if (index >= completions) throw new Error(`too large index: ${quote(text)}`)
  return index
}

/** Parses `3` or `3-5`. Throws unless the second number is larger. */
function parseInterval(text: string, completions: number): Interval {
  const [first = '', second, ...more] = text.split('-')
  if (more.length > 0)
    throw new Error(
      `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`,
    )
  const from = parseIndex(first, completions)
  if (second === undefined) return [from, from]
  const to = parseIndex(second, completions)
  if (from >= to) throw new Error(disorder(from, to))
  return [from, to]
}

const disorder = (previous: number, current: number): string => `non-increasing order, previous: ${previous}, current: ${current}`

/**
 * Returns the number of indexes in the text, all of which must be below `completions`. Throws an Error that describes
 * the fault.
 */
export function countIndexes(text: string, completions: number): number {
  let last = Number.NEGATIVE_INFINITY
  let total = 0
  for (const part of text === '' ? [] : text.split(',')) {
    const [from, to] = parseInterval(part, completions)
    if (last >= from) throw new Error(disorder(last, from))
    total += to - from + 1
    last = to
  }
  return total
}

/** Returns the valid intervals of the text. Their order is not checked. */
function wellFormed(text: string, completions: number): Interval[] {
  return text.split(',').flatMap(part => {
    try {
      return [parseInterval(part, completions)]
    } catch {
      return []
    }
  })
}

/** Returns the first index that is in both sets, or undefined. Invalid intervals are ignored. */
export function commonIndex(a: string, b: string, completions: number): number | undefined {
  const left = wellFormed(a, completions)
  const right = wellFormed(b, completions)
  for (let i = 0, j = 0; ; ) {
    const [one, other] = [left[i], right[j]]
    if (!one || !other) return undefined
    const [from, to] = one
    const [otherFrom, otherTo] = other
    if (from <= otherTo && otherFrom <= to) return Math.max(from, otherFrom)
    if (from <= otherFrom) i++
    else j++
  }
}
