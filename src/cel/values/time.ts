import { MAX_INT64, MIN_INT64 } from '../../lib/integer.ts'
import { trimEndOf } from '../../lib/trim.ts'
import { INT_OVERFLOW } from './integer.ts'
import { CelDuration, CelError, CelTimestamp } from './value.ts'

/** Range of timestamps in seconds: the years 1 to 9999. */
const MIN_SECONDS = -62135596800
const MAX_SECONDS = 253402300799
const BILLION = 1_000_000_000n

export const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow')

/** Whether protobuf's Timestamp allows the second. */
export const inTimestampRange = (seconds: number): boolean => seconds >= MIN_SECONDS && seconds <= MAX_SECONDS

const nanosOf = ({ seconds, nanos }: CelTimestamp): bigint => BigInt(seconds) * BILLION + BigInt(nanos)

/** Makes a duration. An error if the nanoseconds exceed 64 bits, some 292 years. */
export const toDuration = (nanos: bigint): CelDuration | CelError =>
  nanos < MIN_INT64 || nanos > MAX_INT64 ? INT_OVERFLOW : new CelDuration(nanos)

/** Adds a duration. The result keeps the offset of the timestamp. */
export function addToTimestamp(time: CelTimestamp, nanos: bigint): CelTimestamp | CelError {
  const total = nanosOf(time) + nanos
  const rest = ((total % BILLION) + BILLION) % BILLION
  const seconds = Number((total - rest) / BILLION)
  return inTimestampRange(seconds) ? new CelTimestamp(seconds, Number(rest), time.offsetMinutes) : TIMESTAMP_OVERFLOW
}

/** Returns the duration between two timestamps. An error if it exceeds the range of durations. */
export const timeBetween = (a: CelTimestamp, b: CelTimestamp): CelDuration | CelError => toDuration(nanosOf(a) - nanosOf(b))

/** Length of the 400-year cycle of the calendar, in seconds. */
const CYCLE = 146_097 * 86_400

/**
 * Maps a time into the range of a Date, and returns the difference in years. Timestamps from messages are not limited
 * to the years 1 to 9999.
 */
export function withinDate(seconds: number): { readonly seconds: number; readonly years: number } {
  if (inTimestampRange(seconds)) return { seconds, years: 0 }
  const cycles = Math.floor(seconds / CYCLE)
  return { seconds: seconds - cycles * CYCLE, years: cycles * 400 }
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Prints RFC 3339 with the necessary decimals and the original offset. */
export function timestampText({ seconds, nanos, offsetMinutes }: CelTimestamp): string {
  const { seconds: shown, years } = withinDate(seconds)
  const date = new Date((shown + offsetMinutes * 60) * 1000)
  const day = `${String(date.getUTCFullYear() + years).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
  const fraction = nanos === 0 ? '' : `.${trimEndOf(String(nanos).padStart(9, '0'), '0')}`
  const offset = Math.abs(offsetMinutes)
  const zone = offset === 0 ? 'Z' : `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(offset / 60))}:${two(offset % 60)}`
  return `${day}T${time}${fraction}${zone}`
}
