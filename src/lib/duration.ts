import { timeQuote } from './go-quote.ts'
import { integerOf, MAX_INT64 } from './integer.ts'

/** Digits of a fraction: an int64 has 19. */
const MAX_FRACTION = 20

/** Nanoseconds of each unit. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Go's time.ParseDuration: nanoseconds, or an Error with Go's text. */
export function parseDuration(text: string): bigint {
  const bad = (why = ''): Error => new Error(`time: ${why}invalid duration ${timeQuote(text)}`)
  let rest = text
  const negative = rest.startsWith('-')
  if (negative || rest.startsWith('+')) rest = rest.slice(1)
  if (rest === '0') return 0n
  if (rest === '') throw bad()
  let total = 0n
  while (rest !== '') {
    const [number = '', whole = '', fraction = ''] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? []
    if (whole === '' && fraction === '') throw bad()
    rest = rest.slice(number.length)
    const unitText = /^[^.0-9]+/.exec(rest)?.[0]
    if (unitText === undefined) throw new Error(`time: missing unit in duration ${timeQuote(text)}`)
    const unit = Object.hasOwn(UNITS, unitText) ? UNITS[unitText] : undefined
    if (unit === undefined) throw new Error(`time: unknown unit ${timeQuote(unitText)} in duration ${timeQuote(text)}`)
    rest = rest.slice(unitText.length)
    // Go, too, leaves out digits that count no more.
    const digits = fraction.slice(0, MAX_FRACTION)
    total += integerOf(whole || '0') * unit + (BigInt(digits || '0') * unit) / 10n ** BigInt(digits.length)
    if (total > MAX_INT64) throw bad()
  }
  return negative ? -total : total
}

/** Milliseconds, with a fraction, of what `parseDuration` reads. */
export const parseMilliseconds = (text: string): number => Number(parseDuration(text)) / 1e6

/** Go's time.Duration.String(). */
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

/** A value in a larger unit, with the digits of its fraction that count. */
function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return fraction === '' || unit === 1n ? `${value / unit}` : `${value / unit}.${fraction}`
}
