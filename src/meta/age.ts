import { humanDuration } from '../lib/human-duration.ts'
import { timeMillis } from './time.ts'

/** Value of `now` for open ages, which are filled in when the text is sent. */
export const ANY_TIME = Number.NaN
/** Delimiter around the milliseconds of an open age. JSON does not escape it. */
export const AGE_MARK = '\x7f'

/**
 * Prints the age cell of a table: `5m`, `2d3h`, or `<unknown>` without a time. `now` is in milliseconds since the
 * epoch.
 */
export function age(timestamp: string | null | undefined, now: number): string {
  const at = timeMillis(timestamp)
  if (at === undefined) return '<unknown>'
  return Number.isNaN(now) ? `${AGE_MARK}${at}${AGE_MARK}` : humanDuration(now - at)
}

/** Returns the text with its open ages filled in. */
export function withAges(text: string, now: number): string {
  let filled = ''
  let from = 0
  for (let mark = text.indexOf(AGE_MARK); mark >= 0; mark = text.indexOf(AGE_MARK, from)) {
    const end = text.indexOf(AGE_MARK, mark + 1)
    filled += text.slice(from, mark) + humanDuration(now - Number(text.slice(mark + 1, end)))
    from = end + 1
  }
  return from === 0 ? text : filled + text.slice(from)
}
