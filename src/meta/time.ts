import { trimEndOf } from '../lib/trim.ts'

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,9})\d*)?(Z|[+-]\d{2}:\d{2})$/

/** A point in time with nanosecond precision. */
export interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number
  /** 0 to 999,999,999. */
  readonly nanos: number
}

/** Parses an RFC 3339 time. Undefined if it is invalid. */
export function parseTime(text: string): Instant | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = match
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = [year, month, day, hour, minute, second].map(Number)
  if (mo < 1 || mo > 12 || d < 1 || h > 23 || mi > 59 || s > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(y, mo - 1, d)
  date.setUTCHours(h, mi, s)
  if (date.getUTCDate() !== d) return undefined
  let seconds = date.getTime() / 1000
  if (zone !== 'Z') {
    const zoneHours = Number(zone.slice(1, 3))
    const zoneMinutes = Number(zone.slice(4))
    if (zoneHours > 24 || zoneMinutes > 59) return undefined
    seconds -= (zone[0] === '-' ? -1 : 1) * (zoneHours * 60 + zoneMinutes) * 60
  }
  return { seconds, nanos: Number(fraction.padEnd(9, '0')) || 0 }
}

/** Returns milliseconds since the epoch, or undefined if the time is invalid or absent. */
export function timeMillis(text: string | null | undefined): number | undefined {
  const instant = text ? parseTime(text) : undefined
  return instant && instant.seconds * 1000 + Math.floor(instant.nanos / 1e6)
}

const secondsText = (seconds: number): string => {
  const text = new Date(seconds * 1000).toISOString()
  return text.slice(text.startsWith('+') ? 3 : 0, -5)
}

/** The last second that was printed, and its text: most times of one second are equal. */
let latest = { seconds: 0, text: secondsText(0) }

function wholeSeconds(seconds: number): string {
  if (seconds !== latest.seconds) latest = { seconds, text: secondsText(seconds) }
  return latest.text
}

/** Prints a metav1.Time: RFC 3339 in whole seconds, UTC. */
export const formatTime = (millis: number): string => `${wholeSeconds(Math.floor(millis / 1000))}Z`

/** Prints a metav1.MicroTime: RFC 3339 with six decimals, UTC. */
export function formatMicroTime(millis: number, extraMicros = 0): string {
  const seconds = Math.floor(millis / 1000)
  const micros = Math.floor((millis - seconds * 1000) * 1000) + extraMicros
  return `${wholeSeconds(seconds)}.${String(micros).padStart(6, '0')}Z`
}

/** Valid dates of all years but February 29, in the form that `formatTime` prints. */
const CANONICAL =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/

/** Whether a text is certainly what `formatTime` prints. */
export const isCanonicalTime = (text: string): boolean => CANONICAL.test(text)

/** Returns the text that a server writes for a client's time, or undefined if it is invalid. */
export function canonicalTime(text: string): string | undefined {
  if (isCanonicalTime(text)) return text
  const instant = parseTime(text)
  return instant && `${wholeSeconds(instant.seconds)}Z`
}

/** Returns the text for a client's MicroTime. Digits beyond the sixth are dropped. */
export function canonicalMicroTime(text: string): string | undefined {
  const instant = parseTime(text)
  return instant && `${wholeSeconds(instant.seconds)}.${String(Math.floor(instant.nanos / 1000)).padStart(6, '0')}Z`
}

/** Prints a time like Go in a validation message: `2006-01-02 15:04:05 +0000 UTC`. */
export function printGoTime(text: string): string {
  const instant = parseTime(text)
  return instant ? `${wholeSeconds(instant.seconds).replace('T', ' ')} +0000 UTC` : text
}

/** Removes trailing zeros from the fraction of an RFC 3339 time in UTC, like Go's time.RFC3339Nano. */
export const trimFraction = (time: string): string => `${trimEndOf(trimEndOf(time.slice(0, -1), '0'), '.')}Z`
