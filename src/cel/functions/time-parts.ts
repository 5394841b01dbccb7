import { toInt } from '../values/integer.ts'
import { withinDate } from '../values/time.ts'
import { type CelDuration, CelError, type CelTimestamp, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'

/** Offsets of a zone, by minutes of the time: a formatter is slow to make. */
const formatters = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATTERS = 64

/** Milliseconds of the wall clock at an instant in a zone by name or offset, as if they were of UTC; an error in Go's words. */
function wallClock(seconds: number, zone: string): number | CelError {
  const colon = zone.indexOf(':')
  if (colon < 0) return namedZone(seconds * 1000, zone)
  const hours = atoi(zone.slice(0, colon))
  const minutes = atoi(zone.slice(colon + 1))
  if (typeof hours !== 'number') return hours
  if (typeof minutes !== 'number') return minutes
  return (seconds + (hours * 60 + (zone.startsWith('-') ? -minutes : minutes)) * 60) * 1000
}

/** Go's strconv.Atoi, with its error. */
function atoi(text: string): number | CelError {
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : new CelError(`strconv.Atoi: parsing "${text}": invalid syntax`)
}

/** By the name of the time zone database, which Node brings along. */
function namedZone(millis: number, zone: string): number | CelError {
  if (zone === '' || zone === 'UTC') return millis
  // The machine's own zone: that of a server is UTC.
  if (zone === 'Local') return millis - new Date(millis).getTimezoneOffset() * 60_000
  const formatter = formatterOf(zone)
  if (!formatter) return new CelError(`unknown time zone ${zone}`)
  const parts = Object.fromEntries(formatter.formatToParts(millis).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute, second)
}

/** Undefined for a name that is no zone. */
function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  const seen = formatters.get(zone)
  if (seen) return seen
  try {
    const options = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
    const made = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zone, calendar: 'gregory' })
    if (formatters.size >= MAX_FORMATTERS) formatters.clear()
    formatters.set(zone, made)
    return made
  } catch {
    return undefined
  }
}

const DAY = 86_400_000

/** From 0. */
function dayOfYear(date: Date): number {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - first.getTime()) / DAY)
}

/** @param years that the wall clock's year is off. */
type Part = (wall: Date, time: CelTimestamp, years: number) => number

/** By the middle of their signatures' names. */
const PARTS: Readonly<Record<string, Part>> = {
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

/** The wall clock as if it were of UTC: JavaScript's dates have no other zone to be asked for. */
function inZone(part: Part, time: CelTimestamp, zone: string): Value {
  const { seconds, years } = withinDate(time.seconds)
  const wall = wallClock(seconds, zone)
  if (typeof wall !== 'number') return wall
  return part(new Date(wall), time, years)
}

/** The signature of seconds in a zone is the one that is named otherwise. */
const withZone = (name: string): string => `timestamp_to_${name}_${name === 'seconds' ? 'tz' : 'with_tz'}`

/** Towards zero, as Go divides. */
const whole =
  (unit: bigint) =>
  ({ nanos }: CelDuration): Value =>
    toInt(nanos / unit)

/** Parts of times, in UTC or a given zone, and lengths of durations in whole units. */
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
