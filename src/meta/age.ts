import { humanDuration } from './human-duration.ts'
import { timeMillis } from './time.ts'

/** For `now`: ages are left open, to be filled in whenever the text is wanted. */
export const ANY_TIME = Number.NaN
/** Stands before and after the milliseconds of an open age. JSON writes it as it is. */
export const AGE_MARK = '\x7f'

/** The age cell of a Table: `5m`, `2d3h`; `<unknown>` where there is no time. `now` in milliseconds. */
export function age(timestamp: string | null | undefined, now: number): string {
  const at = timeMillis(timestamp)
  if (at === undefined) return '<unknown>'
  return Number.isNaN(now) ? `${AGE_MARK}${at}${AGE_MARK}` : humanDuration(now - at)
}

/** The text with its open ages filled in. */
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
