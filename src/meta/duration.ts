import { integerOf } from '../lib/integer.ts'

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
const MAX = (1n << 63n) - 1n

/** As package time quotes: bytes beyond ASCII by their codes. */
function quoted(text: string): string {
  let out = ''
  for (const byte of Buffer.from(text)) {
    if (byte < 0x20 || byte >= 0x7f) out += `\\x${byte.toString(16).padStart(2, '0')}`
    else out += byte === 0x22 || byte === 0x5c ? `\\${String.fromCharCode(byte)}` : String.fromCharCode(byte)
  }
  return `"${out}"`
}

/** Go's time.ParseDuration: nanoseconds, or an Error with Go's text. */
export function parseDuration(text: string): bigint {
  const bad = (why = ''): Error => new Error(`time: ${why}invalid duration ${quoted(text)}`)
  let rest = text
  const negative = rest.startsWith('-')
  if (negative || rest.startsWith('+')) rest = rest.slice(1)
  if (rest === '0') return 0n
  if (rest === '') throw bad()
  let total = 0n
  while (rest !== '') {
    const match = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) as RegExpExecArray
    const [number, whole = '', fraction = ''] = match
    if (whole === '' && fraction === '') throw bad()
    rest = rest.slice(number.length)
    const unitText = (/^[^.0-9]+/.exec(rest) as RegExpExecArray | null)?.[0]
    if (unitText === undefined) throw new Error(`time: missing unit in duration ${quoted(text)}`)
    const unit = Object.hasOwn(UNITS, unitText) ? UNITS[unitText] : undefined
    if (unit === undefined) throw new Error(`time: unknown unit ${quoted(unitText)} in duration ${quoted(text)}`)
    rest = rest.slice(unitText.length)
    // Go, too, leaves out digits that count no more.
    const digits = fraction.slice(0, MAX_FRACTION)
    total += integerOf(whole || '0') * unit + (BigInt(digits || '0') * unit) / 10n ** BigInt(digits.length)
    if (total > MAX) throw bad()
  }
  return negative ? -total : total
}

/** Digits of a fraction: an int64 has 19. */
const MAX_FRACTION = 20

/** Go's time.Duration.String(). */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s'
  const sign = nanos < 0n ? '-' : ''
  const n = nanos < 0n ? -nanos : nanos
  if (n < 1_000_000_000n) {
    const [unit, size] = n < 1_000n ? ['ns', 1n] : n < 1_000_000n ? ['µs', 1_000n] : ['ms', 1_000_000n]
    return `${sign}${decimal(n, size as bigint)}${unit}`
  }
  const minutes = n / 60_000_000_000n
  const seconds = decimal(n % 60_000_000_000n, 1_000_000_000n)
  if (minutes === 0n) return `${sign}${seconds}s`
  if (minutes < 60n) return `${sign}${minutes}m${seconds}s`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = (value % unit)
    .toString()
    .padStart(unit.toString().length - 1, '0')
    .replace(/0+$/, '')
  return fraction === '' || unit === 1n ? `${value / unit}` : `${value / unit}.${fraction}`
}

/** apimachinery's duration.HumanDuration: at most two units, coarser as it grows. */
export function humanDuration(millis: number): string {
  const seconds = Math.trunc(millis / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  if (hours < 24 * 365 * 8) return days % 365 === 0 ? `${years}y` : `${years}y${days % 365}d`
  return `${years}y`
}
