import { toInt } from '../values/integer.ts'
import { withinDate } from '../values/time.ts'
import { type CelDuration, CelError, type CelTimestamp, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Formatters by time zone, because creating one is slow. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATTERS = 64

/**
 * Returns the wall clock time in a zone, as milliseconds of a UTC date. An unknown zone is an error with Go's message.
 * @param zone name or offset (`+02:00`).
 */
function wallClock(seconds: number, zone: string): number | CelError {
  const colon = zone.indexOf(':')
  if (colon < 0) return namedZone(seconds * 1000, zone)
  const hours = atoi(zone.slice(0, colon))
  const minutes = atoi(zone.slice(colon + 1))
  if (typeof hours !== 'number') return hours
  if (typeof minutes !== 'number') return minutes
  return (seconds + (hours * 60 + (zone.startsWith('-') ? -minutes : minutes)) * 60) * 1000
}

/** Implements Go's strconv.Atoi. */
function atoi(text: string): number | CelError {
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : new CelError(`strconv.Atoi: parsing "${text}": invalid syntax`)
}

/** Returns the wall clock time in a zone of the time zone database, which Node includes. */
function namedZone(millis: number, zone: string): number | CelError {
  if (zone === '' || zone === 'UTC') return millis
  // The process's own zone. It is usually UTC on a server.
  if (zone === 'Local') return millis - new Date(millis).getTimezoneOffset() * 60_000
  const formatter = formatterOf(zone)
  if (!formatter) return new CelError(`unknown time zone ${zone}`)
  const parts = Object.fromEntries(formatter.formatToParts(millis).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute, second)
}

/** Returns the formatter of a zone. Undefined if the name is unknown. */
function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const seen = formatters.get(zone)
  if (seen) return seen
  try {
    const options = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    } as const
    const made = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone, calendar: 'gregory' })
    if (formatters.size >= MAX_FORMATTERS) formatters.clear()
    formatters.set(zone, made)
    return made
  } catch {
    return undefined
  }
}

const DAY = 86_400_000

/** Returns the day of the year, from 0. */
function dayOfYear(date: Date): number {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - first.getTime()) / DAY)
}

/**
 * Computes a part of a timestamp.
 * @param wall wall clock time as a UTC date.
 * @param years difference between the real year and that of `wall`.
 */
type TimePart = (wall: Date, time: CelTimestamp, years: number) => number

/** Parts by the middle of their signature names. */
const PARTS: Readonly<Record<string, TimePart>> = {
  day_of_month_1_based: wall => wall.getUTCDate(),
  day_of_month: wall => wall.getUTCDate() - 1,
  day_of_week: wall => wall.getUTCDay(),
  day_of_year: dayOfYear,
  year: (wall, _time, years) => wall.getUTCFullYear() + years,
  hours: wall => wall.getUTCHours(),
  milliseconds: (_wall, { nanos }) => Math.floor(nanos / 1_000_000),
  minutes: wall => wall.getUTCMinutes(),
  month: wall => wall.getUTCMonth(),
  seconds: wall => wall.getUTCSeconds(),
}

/**
 * Computes a part in a zone. The wall clock time is represented as a UTC date, because JavaScript dates have no other
 * zone.
 */
function inZone(part: TimePart, time: CelTimestamp, zone: string): Value {
  const { seconds, years } = withinDate(time.seconds)
  const wall = wallClock(seconds, zone)
  if (typeof wall !== 'number') return wall
  return part(new Date(wall), time, years)
}

/** Returns the signature of a part with a zone. That of seconds is irregular. */
const withZone = (name: string): string => `timestamp_to_${name}_${name === 'seconds' ? 'tz' : 'with_tz'}`

/** Divides by a unit, truncated towards zero as in Go. */
const whole =
  (unit: bigint) =>
  ({ nanos }: CelDuration): Value =>
    toInt(nanos / unit)

/** Parts of timestamps in UTC or a given zone, and durations in whole units. */
export const TIME_PARTS: Implementations = {
  ...Object.fromEntries(
    Object.entries(PARTS).flatMap(([name, part]) => [
      [`timestamp_to_${name}`, (time: CelTimestamp) => inZone(part, time, 'UTC')],
      [withZone(name), (time: CelTimestamp, zone: string) => inZone(part, time, zone)],
    ]),
  ),
  duration_to_hours: whole(3_600_000_000_000n),
  duration_to_minutes: whole(60_000_000_000n),
  duration_to_seconds: whole(1_000_000_000n),
  duration_to_milliseconds: whole(1_000_000n),
}
