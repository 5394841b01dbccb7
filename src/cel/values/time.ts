import { MAX_INT64, MIN_INT64 } from '../../lib/integer.ts'
import { trimEndOf } from '../../lib/trim.ts'
import { INT_OVERFLOW } from './integer.ts'
import { CelDuration, CelError, CelTimestamp } from './value.ts'

/** The years 1 to 9999. */
const MIN_SECONDS = -62135596800
const MAX_SECONDS = 253402300799
const BILLION = 1_000_000_000n

export const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow')

/** Whether protobuf's Timestamp allows the second. */
export const inTimestampRange = (seconds: number): boolean => seconds >= MIN_SECONDS && seconds <= MAX_SECONDS

const nanosOf = ({ seconds, nanos }: CelTimestamp): bigint => BigInt(seconds) * BILLION + BigInt(nanos)

/** An error beyond 64 bits of nanoseconds: some 292 years. */
export const toDuration = (nanos: bigint): CelDuration | CelError => (nanos < MIN_INT64 || nanos > MAX_INT64 ? INT_OVERFLOW : new CelDuration(nanos))

/** The sum keeps the offset of the time. */
export function addToTimestamp(time: CelTimestamp, nanos: bigint): CelTimestamp | CelError {
  const total = nanosOf(time) + nanos
  const rest = ((total % BILLION) + BILLION) % BILLION
  const seconds = Number((total - rest) / BILLION)
  return inTimestampRange(seconds) ? new CelTimestamp(seconds, Number(rest), time.offsetMinutes) : TIMESTAMP_OVERFLOW
}

/** An error where the times are too far apart for a duration. */
export const timeBetween = (a: CelTimestamp, b: CelTimestamp): CelDuration | CelError => toDuration(nanosOf(a) - nanosOf(b))

/** After 400 years the calendar comes again: this many seconds. */
const CYCLE = 146_097 * 86_400

/** A time within the years that a Date has, and how many years it is off: times of messages are not bounded to four digits. */
export function withinDate(seconds: number): { readonly seconds: number; readonly years: number } {
  if (inTimestampRange(seconds)) return { seconds, years: 0 }
  const cycles = Math.floor(seconds / CYCLE)
  return { seconds: seconds - cycles * CYCLE, years: cycles * 400 }
}

const two = (value: number): string => String(value).padStart(2, '0')

/** RFC 3339, with as many decimals as there are, in the zone that the time was written with. */
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
