import { timeQuote } from '../lib/go-quote.ts'
import { canonicalMicroTime, canonicalTime, isCanonicalTime } from '../meta/time.ts'

/** Layouts of Go's time package that the API's times are parsed with. */
const RFC3339 = '2006-01-02T15:04:05Z07:00'
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00'

const SHORT_HOUR = /T(?=\d:)/
const MICRO_TIME = /[.,][0-9]{6}(?:Z|[+-])/

/** Returns the canonical text of a metav1.Time; null for Go's zero time; undefined if the text is not a time. */
export function normalTime(text: string): string | null | undefined {
  const normal = canonicalTime(text.replace(SHORT_HOUR, 'T0'))
  return normal === '0001-01-01T00:00:00Z' ? null : normal
}

/** Like `normalTime`, for a metav1.MicroTime, which requires exactly six decimals. */
export function normalMicroTime(text: string): string | null | undefined {
  if (!MICRO_TIME.test(text)) return undefined
  const normal = canonicalMicroTime(text.replace(SHORT_HOUR, 'T0'))
  return normal === '0001-01-01T00:00:00.000000Z' ? null : normal
}

/**
 * Returns Go's error for a text that is not a time: `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x"
 * as "2006"`.
 */
export function timeFault(text: string, micro: boolean): string | undefined {
  if (!micro && isCanonicalTime(text)) return undefined
  const layout = micro ? RFC3339_MICRO : RFC3339
  let rest = text
  const fault = (element: string): string =>
    `parsing time ${timeQuote(text)} as "${layout}": cannot parse ${timeQuote(rest)} as "${element}"`
  const outOfRange = (what: string): string => `parsing time ${timeQuote(text)}: ${what} out of range`
  const digits = (count: number): number | undefined => {
    const number = rest.slice(0, count)
    if (number.length < count || !/^[0-9]+$/.test(number)) return undefined
    rest = rest.slice(count)
    return Number(number)
  }
  const skip = (literal: string): boolean => {
    if (!rest.startsWith(literal)) return false
    rest = rest.slice(1)
    return true
  }

  const year = digits(4)
  if (year === undefined) return fault('2006')
  if (!skip('-')) return fault('-')
  const month = digits(2)
  if (month === undefined) return fault('01')
  if (month < 1 || month > 12) return outOfRange('month')
  if (!skip('-')) return fault('-')
  const day = digits(2)
  if (day === undefined) return fault('02')
  if (!skip('T')) return fault('T')
  const hour = /^[0-9](?![0-9])/.test(rest) ? digits(1) : digits(2)
  if (hour === undefined) return fault('15')
  if (hour > 23) return outOfRange('hour')
  if (!skip(':')) return fault(':')
  const minute = digits(2)
  if (minute === undefined) return fault('04')
  if (minute > 59) return outOfRange('minute')
  if (!skip(':')) return fault(':')
  const second = digits(2)
  if (second === undefined) return fault('05')
  if (second > 59) return outOfRange('second')

  const fraction = micro ? /^[.,]([0-9]{6})/.exec(rest) : /^[.,]([0-9]+)/.exec(rest)
  if (fraction) rest = rest.slice(fraction[0].length)
  else if (micro) return fault('.000000')

  if (rest.startsWith('Z')) rest = rest.slice(1)
  else {
    const zone = /^([+-])([0-9]{2}):([0-9]{2})/.exec(rest)
    if (zone === null) return fault('Z07:00')
    rest = rest.slice(6)
    if (Number(zone[2]) > 24) return outOfRange('time zone offset hour')
    if (Number(zone[3]) > 60) return outOfRange('time zone offset minute')
  }
  if (rest !== '') return `parsing time ${timeQuote(text)}: extra text: ${timeQuote(rest)}`
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return day < 1 || date.getUTCDate() !== day ? outOfRange('day') : undefined
}
