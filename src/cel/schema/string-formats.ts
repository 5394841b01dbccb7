import { parseDuration } from '../../lib/duration.ts'
import { parseInteger } from '../../lib/integer.ts'
import { parseTime } from '../../meta/time.ts'
import { base64Fault } from '../../schema/base64.ts'
import { offsetOf } from '../functions/conversions.ts'
import { CelDuration, CelError, CelTimestamp, type Value } from '../values/value.ts'

/** Duration units of strfmt, which has more names than Go. */
const NANOS: readonly (readonly [names: readonly string[], written: string, nanos: bigint])[] = [
  [['ns'], 'nano', 1n],
  [['us', 'µs'], 'micro', 1_000n],
  [['ms'], 'milli', 1_000_000n],
  [['s'], 'sec', 1_000_000_000n],
  [['m'], 'min', 60_000_000_000n],
  [['h', 'hr'], 'hour', 3_600_000_000_000n],
  [['d'], 'day', 86_400_000_000_000n],
  [['w', 'wk'], 'week', 604_800_000_000_000n],
]

/** Returns the length of a unit. Names match exactly, written-out names by their beginning. */
function unitOf(text: string): bigint | undefined {
  const unit = text.toLowerCase()
  return NANOS.find(([names, written]) => names.includes(unit) || unit.startsWith(written))?.[2]
}

/** Parses Go's notation, or numbers with named units (`3 days`), which are summed. Overflows wrap as in Go. */
function duration(text: string): Value {
  try {
    return new CelDuration(parseDuration(text))
  } catch {
    const known = Array.from(text.matchAll(/(?<!\d)(\d+)\s*([A-Za-z\u00b5]+)/g)).flatMap(([, count = '0', unit = '']) => {
      const nanos = unitOf(unit)
      return nanos === undefined ? [] : [parseInteger(count) * nanos]
    })
    if (known.length === 0) return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`)
    return new CelDuration(
      BigInt.asIntN(
        64,
        known.reduce((sum, nanos) => sum + nanos, 0n),
      ),
    )
  }
}

/**
 * Parses a timestamp.
 * @param written text in the document, which errors quote.
 */
function time(text: string, wanted: string, written: string): Value {
  const instant = parseTime(text)
  if (!instant) return new CelError(`Invalid ${wanted} formatted string ${written}: parsing time "${written}": cannot parse`)
  return new CelTimestamp(instant.seconds, instant.nanos, offsetOf(text))
}

/** Decodes base64 in the URL alphabet, although the format `byte` has the standard one: upstream does the same. */
function bytes(text: string): Value {
  const swapped = text.replace(/[-_+/]/g, char => (char === '-' ? '+' : char === '_' ? '/' : '!'))
  const fault = base64Fault(swapped)
  if (fault >= 0) return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${fault}`)
  return Uint8Array.from(Buffer.from(text, 'base64url'))
}

/** Conversions by string format. A malformed string is converted to an error. */
export const STRING_VALUES: Readonly<Record<string, (text: string) => Value>> = {
  duration,
  date: text => time(`${text}T00:00:00Z`, 'date', text),
  'date-time': text => time(text, 'date-time', text),
  byte: bytes,
}
