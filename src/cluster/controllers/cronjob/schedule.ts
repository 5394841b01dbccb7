import type { CronJob } from '../../../api/batch/v1.types.ts'
import { nextTime } from '../../../lib/cron-next.ts'
import type { CronSchedule } from '../../../lib/cron-schedule.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { timeMillis } from '../../../meta/time.ts'

/** Delay after a scheduled time with which a CronJob is looked at. */
const DELAY_MS = 100

/** Number of missed times above which an event warns of them. */
const MANY = 100

/** Times of a CronJob, in seconds since the epoch. */
export interface RecentTime {
  /** Time from which scheduled times count. */
  readonly earliest: number
  /** Latest scheduled time that has passed since. Undefined if there is none. */
  readonly recent: number | undefined
  readonly missed: 'none' | 'few' | 'many'
}

/** Times before the year 1, as Go's zero time, for a schedule that never matches. */
const NEVER = Number.NEGATIVE_INFINITY

const next = (schedule: CronSchedule, after: number): number => (after === NEVER ? NEVER : (nextTime(schedule, after) ?? NEVER))

/**
 * Finds the latest scheduled time that has passed. Throws an Error if the schedule never matches. Runs in steps,
 * because an irregular schedule may have many times.
 * @param now seconds since the epoch.
 * @param usesDeadline whether times before `startingDeadlineSeconds` are left out.
 */
export function* recentTime(cronJob: CronJob, now: number, schedule: CronSchedule, usesDeadline: boolean): Steps<RecentTime> {
  const earliest = earliestTime(cronJob, now, usesDeadline)
  const first = next(schedule, earliest)
  const second = next(schedule, first)
  if (now < first) return { earliest, recent: undefined, missed: 'none' }
  if (now < second) return { earliest, recent: first, missed: 'none' }
  if (first === NEVER || second - first < 1) throw new Error('time difference between two schedules is less than 1 second')
  // The number of missed times is estimated from the distance of the first two.
  const missed = Math.floor(Math.floor(now - first) / (second - first)) + 1
  let recent: number | undefined
  for (let time = next(schedule, first + (missed - 2) * (second - first)); time <= now && time !== NEVER; time = next(schedule, time)) {
    recent = time
    if (isStepDone()) yield
  }
  return { earliest, recent, missed: missed > MANY ? 'many' : 'few' }
}

function earliestTime({ metadata, spec, status }: CronJob, now: number, usesDeadline: boolean): number {
  const start = (timeMillis(status.lastScheduleTime) ?? timeMillis(metadata.creationTimestamp) ?? 0) / 1000
  return usesDeadline && spec.startingDeadlineSeconds !== undefined ? Math.max(start, now - Number(spec.startingDeadlineSeconds)) : start
}

/**
 * Milliseconds until a CronJob is looked at again, shortly after the next scheduled time. Undefined if its schedule
 * never matches again.
 */
export function* untilNext(cronJob: CronJob, now: number, schedule: CronSchedule): Steps<number | undefined> {
  const after = yield* lastTime(cronJob, now, schedule)
  const time = next(schedule, after)
  return time === NEVER ? undefined : Math.round((time - now) * 1000) + DELAY_MS
}

/** Time from which the next one is computed: the latest that has passed, or now if missed times make that unknown. */
function* lastTime(cronJob: CronJob, now: number, schedule: CronSchedule): Steps<number> {
  try {
    const { earliest, recent, missed } = yield* recentTime(cronJob, now, schedule, false)
    return recent ?? (missed === 'none' ? earliest : now)
  } catch {
    return now
  }
}
