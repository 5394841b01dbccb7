import { timeQuote } from './go-quote.ts'
import { MAX_INT64, parseInteger } from './integer.ts'
import { trimEndOf } from './trim.ts'

/** Digits of a fraction that are used. An int64 has 19. */
const MAX_FRACTION = 20

/** Nanoseconds of each unit. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1_000,
  µs: 1_000,
  μs: 1_000,
  ms: 1_000_000,
  s: 1_000_000_000,
  m: 60_000_000_000,
  h: 3_600_000_000_000,
}

/** Matches a number with its unit. Each part may be empty. */
const TERM = /([0-9]*)(?:\.([0-9]*))?([^.0-9]*)/y

/** Limit on the characters of a duration. Go has none. The longest duration with each unit once has 40. */
const MAX_LENGTH = 256

/** Parses a duration to nanoseconds like Go's time.ParseDuration. Throws an Error with Go's text. */
export function parseDuration(text: string): bigint {
  const bad = (): Error => new Error(`time: invalid duration ${timeQuote(text)}`)
  const isNegative = text.startsWith('-')
  const start = isNegative || text.startsWith('+') ? 1 : 0
  if (text.length === start + 1 && text[start] === '0') return 0n
  if (text.length === start || text.length > MAX_LENGTH) throw bad()
  let total = 0n
  for (let at = start; at < text.length; at = TERM.lastIndex) {
    TERM.lastIndex = at
    const [, whole = '', fraction = '', unitText = ''] = TERM.exec(text) ?? []
    if (whole === '' && fraction === '') throw bad()
    if (unitText === '') throw new Error(`time: missing unit in duration ${timeQuote(text)}`)
    const unit = Object.hasOwn(UNITS, unitText) ? UNITS[unitText] : undefined
    if (unit === undefined) throw new Error(`time: unknown unit ${timeQuote(unitText)} in duration ${timeQuote(text)}`)
    total += nanoseconds(whole, fraction, BigInt(unit))
    if (total > MAX_INT64) throw bad()
  }
  return isNegative ? -total : total
}

function nanoseconds(whole: string, fraction: string, unit: bigint): bigint {
  // Go ignores insignificant digits, too.
  const digits = fraction.slice(0, MAX_FRACTION)
  return parseInteger(whole || '0') * unit + (BigInt(digits || '0') * unit) / 10n ** BigInt(digits.length)
}

/** Parses a duration to milliseconds, with a fraction. */
export const parseMilliseconds = (text: string): number => Number(parseDuration(text)) / 1e6

/** Formats a duration like Go's time.Duration.String(). */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s'
  const sign = nanos < 0n ? '-' : ''
  const n = nanos < 0n ? -nanos : nanos
  if (n < 1_000_000_000n) {
    if (n < 1_000n) return `${sign}${n}ns`
    return n < 1_000_000n ? `${sign}${decimal(n, 1_000n)}µs` : `${sign}${decimal(n, 1_000_000n)}ms`
  }
  const minutes = n / 60_000_000_000n
  const seconds = decimal(n % 60_000_000_000n, 1_000_000_000n)
  if (minutes === 0n) return `${sign}${seconds}s`
  if (minutes < 60n) return `${sign}${minutes}m${seconds}s`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`
}

/** Formats a value in a larger unit, with the significant digits of its fraction. */
function decimal(value: bigint, unit: bigint): string {
  const fraction = trimEndOf((value % unit).toString().padStart(unit.toString().length - 1, '0'), '0')
  return fraction === '' || unit === 1n ? `${value / unit}` : `${value / unit}.${fraction}`
}
