import { isUtf8 } from 'node:buffer'
import { parseDuration } from '../../lib/duration.ts'
import { formatDouble, plainDouble } from '../../lib/format-double.ts'
import { inInt64, inUint64, parseInteger } from '../../lib/integer.ts'
import { parseTime } from '../../meta/time.ts'
import { doubleToInt, doubleToUint, toInt, toUint } from '../values/integer.ts'
import { inTimestampRange, TIMESTAMP_OVERFLOW, timestampText } from '../values/time.ts'
import { CelDouble, CelDuration, CelError, CelTimestamp, CelUint, type Int, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** The error for a text that is not a value of the type. Like upstream's, it does not say why. */
const cannot = (from: string, to: string): CelError => new CelError(`type conversion error from '${from}' to '${to}'`)
const unchangedValue = (value: Value): Value => value

/** Parses an int as Go's ParseInt with base 10: no underscores, no prefix. */
function textToInt(text: string): Value {
  const value = /^[+-]?[0-9]+$/.test(text) ? parseInteger(text.replace(/^\+/, '')) : undefined
  return value !== undefined && inInt64(value) ? toInt(value) : cannot('string', 'int')
}

function textToUint(text: string): Value {
  const value = /^[0-9]+$/.test(text) ? parseInteger(text) : undefined
  return value !== undefined && inUint64(value) ? new CelUint(value) : cannot('string', 'uint')
}

/** Notations of Go's ParseFloat: decimal, special values, and hexadecimal with a power of two. */
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
const SPECIAL = /^([+-]?)(inf|infinity|nan)$/i
const HEX = /^([+-]?)0[xX](?=[0-9a-fA-F.])([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/

/** Parses a double as Go's ParseFloat. */
function textToDouble(text: string): Value {
  const special = SPECIAL.exec(text)
  if (special) {
    if (/nan/i.test(text)) return special[1] === '' ? new CelDouble(Number.NaN) : cannot('string', 'double')
    return new CelDouble(special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)
  }
  const digits = withoutUnderscores(text)
  const value = DECIMAL.test(digits) ? Number(digits) : hexToDouble(digits)
  return value !== undefined && Number.isFinite(value) ? new CelDouble(value) : cannot('string', 'double')
}

/** Removes the underscores that Go allows between digits. */
const withoutUnderscores = (text: string): string =>
  /(?:^|[^0-9a-fA-FxX])_|_(?:$|[^0-9a-fA-F])/.test(text) ? text : text.replaceAll('_', '')

function hexToDouble(text: string): number | undefined {
  const found = HEX.exec(text)
  if (!found) return undefined
  const [, sign, whole = '', fraction = '', power] = found
  if (whole === '' && fraction === '') return undefined
  const mantissa = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (-4 * fraction.length)
  return (sign === '-' ? -1 : 1) * mantissa * 2 ** Number(power)
}

/** Texts that Go's ParseBool accepts. */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])

function textToBool(text: string): Value {
  if (TRUE.has(text)) return true
  return FALSE.has(text) ? false : cannot('string', 'bool')
}

/** Parses Go's notation of durations (`1h30m`), which includes seconds with a fraction. */
function textToDuration(text: string): Value {
  try {
    return new CelDuration(parseDuration(text))
  } catch {
    return cannot('string', 'google.protobuf.Duration')
  }
}

/** Parses an RFC 3339 timestamp. Its offset is kept for printing. */
function textToTimestamp(text: string): Value {
  const instant = parseTime(text)
  if (!instant) return cannot('string', 'google.protobuf.Timestamp')
  return inTimestampRange(instant.seconds) ? new CelTimestamp(instant.seconds, instant.nanos, offsetOf(text)) : TIMESTAMP_OVERFLOW
}

/** Returns the zone offset of an RFC 3339 text, in minutes east of UTC. */
export function offsetOf(text: string): number {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) + 0
}

/** Converts seconds since 1970. */
function intToTimestamp(value: Int): Value {
  const seconds = Number(value)
  return inTimestampRange(seconds) ? new CelTimestamp(seconds, 0) : TIMESTAMP_OVERFLOW
}

/** Converts bytes to text. Invalid UTF-8 is an error, so that texts are always well-formed. */
export const bytesToText = (bytes: Uint8Array): string | CelError =>
  isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    : new CelError('invalid UTF-8 in bytes, cannot convert to string')

/** Prints a duration in seconds, with the precision of a double. */
export const secondsText = ({ nanos }: CelDuration): string => {
  const whole = nanos / 1_000_000_000n
  return `${plainDouble(Number(whole) + Number(nanos % 1_000_000_000n) / 1e9)}s`
}

/** Conversions by cel-go's signature. A type converts to itself unchanged. */
export const CONVERSIONS: Implementations = {
  bool_to_bool: unchangedValue,
  string_to_bool: textToBool,
  bytes_to_bytes: unchangedValue,
  string_to_bytes: (text: string) => new Uint8Array(Buffer.from(text)),
  double_to_double: unchangedValue,
  int64_to_double: (value: Int) => new CelDouble(Number(value)),
  string_to_double: textToDouble,
  uint64_to_double: ({ value }: CelUint) => new CelDouble(Number(value)),
  duration_to_duration: unchangedValue,
  int64_to_duration: () => cannot('int', 'google.protobuf.Duration'),
  string_to_duration: textToDuration,
  int64_to_int64: unchangedValue,
  double_to_int64: ({ value }: CelDouble) => doubleToInt(value),
  duration_to_int64: ({ nanos }: CelDuration) => toInt(nanos),
  string_to_int64: textToInt,
  timestamp_to_int64: ({ seconds }: CelTimestamp) => toInt(BigInt(seconds)),
  uint64_to_int64: ({ value }: CelUint) => toInt(value),
  string_to_string: unchangedValue,
  bool_to_string: (value: boolean) => String(value),
  bytes_to_string: bytesToText,
  double_to_string: ({ value }: CelDouble) => formatDouble(value),
  duration_to_string: secondsText,
  int64_to_string: (value: Int) => String(value),
  timestamp_to_string: timestampText,
  uint64_to_string: ({ value }: CelUint) => String(value),
  timestamp_to_timestamp: unchangedValue,
  int64_to_timestamp: intToTimestamp,
  string_to_timestamp: textToTimestamp,
  uint64_to_uint64: unchangedValue,
  double_to_uint64: ({ value }: CelDouble) => doubleToUint(value),
  int64_to_uint64: (value: Int) => toUint(BigInt(value)),
  string_to_uint64: textToUint,
}
