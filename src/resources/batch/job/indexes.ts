import { quote } from '../../../lib/go-quote.ts'

/** Sets of indexes are written as `1,3-5,7`, in order. */
type Interval = readonly [from: number, to: number]

/** An index below `completions`. Throws an Error in upstream's words. */
function parseIndex(text: string, completions: number): number {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new Error(`cannot convert string to integer for index: ${quote(text)}`)
  const index = Number(text)
  if (index >= completions) throw new Error(`too large index: ${quote(text)}`)
  return index
}

/** `3` or `3-5`. Throws where the second number is not the larger one. */
function parseInterval(text: string, completions: number): Interval {
  const [first = '', second, ...more] = text.split('-')
  if (more.length > 0)
    throw new Error(`the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`)
  const from = parseIndex(first, completions)
  if (second === undefined) return [from, from]
  const to = parseIndex(second, completions)
  if (from >= to) throw new Error(disorder(from, to))
  return [from, to]
}

const disorder = (previous: number, current: number): string => `non-increasing order, previous: ${previous}, current: ${current}`

/** How many indexes the text names, all below `completions`. Throws an Error that says what is wrong. */
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

/** The intervals of the text, without the parts that are malformed. Their order is not checked. */
function wellFormed(text: string, completions: number): Interval[] {
  return text.split(',').flatMap(part => {
    try {
      return [parseInterval(part, completions)]
    } catch {
      return []
    }
  })
}

/** The first index that is in both sets; parts that are malformed do not count. */
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
