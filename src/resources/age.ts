import { humanDuration } from '../meta/duration.ts'
import { timeMillis } from '../meta/time.ts'

/** The age cell of a Table: `5m`, `2d3h`; `<unknown>` where there is no time. `now` in milliseconds. */
export function age(timestamp: string | null | undefined, now: number): string {
  const at = timeMillis(timestamp)
  return at === undefined ? '<unknown>' : humanDuration(now - at)
}
