import type { CronField, CronFields, CronSchedule } from './cron-schedule.ts'
import { instantOf, zoneOffset } from './time-zone.ts'

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
/** Number of years after which the search ends, as in github.com/robfig/cron. */
const MOST_YEARS = 5

/**
 * Returns the first time after an instant that matches a schedule, in seconds since the epoch. Undefined if none does
 * within five years. Follows Schedule.Next of github.com/robfig/cron (version 3): a local time that clocks skip does
 * not match, and one that they show twice may match twice.
 * @param after seconds since the epoch; a fraction is dropped.
 * @param zone zone of a schedule that has none in its text.
 */
export function nextTime(schedule: CronSchedule, after: number, zone = 'UTC'): number | undefined {
  const start = Math.floor(after)
  if ('everySeconds' in schedule) return start + schedule.everySeconds
  if ([schedule.minute, schedule.hour, schedule.day, schedule.month, schedule.weekday].some(({ values }) => values.size === 0))
    return undefined
  return new Search(schedule, schedule.zone ?? zone, start + 1).run()
}

/** State of a search. `time` is the earliest time that may match. */
class Search {
  readonly #fields: CronFields
  readonly #zone: string
  #time: number
  /** Whether `time` was advanced, so that its smaller parts are zero. */
  #isAdvanced = false

  constructor(fields: CronFields, zone: string, time: number) {
    this.#fields = fields
    this.#zone = zone
    this.#time = time
  }

  run(): number | undefined {
    const lastYear = this.#local().getUTCFullYear() + MOST_YEARS
    // Advancing to a time may move it into the next hour or day, from which the search goes on.
    while (this.#findDay(lastYear)) if (this.#findHour() && this.#findMinute() && this.#findSecond()) return this.#time
    return undefined
  }

  /** The local time, in the members of a UTC date. */
  #local(): Date {
    return new Date((this.#time + zoneOffset(this.#zone, this.#time)) * 1000)
  }

  /** Advances to a day that matches. Reports whether there is one. */
  #findDay(lastYear: number): boolean {
    const now = this.#local()
    if (now.getUTCFullYear() > lastYear) return false
    if (matchesDay(this.#fields, now)) return true
    let day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) / 1000
    for (;;) {
      day += DAY
      const date = new Date(day * 1000)
      if (date.getUTCFullYear() > lastYear) return false
      if (!matchesDay(this.#fields, date)) continue
      this.#isAdvanced = true
      this.#time = instantOf(this.#zone, day)
      // Clocks may skip midnight. Upstream then moves to the day before and leaves the day out, unless it comes from a
      // month that does not match.
      const hour = this.#local().getUTCHours()
      if (hour > 12) this.#time += (24 - hour) * HOUR
      else if (this.#fields.month.values.has(new Date((day - DAY) * 1000).getUTCMonth() + 1)) this.#time -= hour * HOUR
      if (matchesDay(this.#fields, this.#local())) return true
    }
  }

  /** Advances to an hour that matches. Reports false if the day has none left. */
  #findHour(): boolean {
    while (!this.#fields.hour.values.has(this.#local().getUTCHours())) {
      if (!this.#isAdvanced) {
        const local = Math.floor(this.#local().getTime() / 1000)
        this.#time = instantOf(this.#zone, local - (local % HOUR))
        this.#isAdvanced = true
      }
      this.#time += HOUR
      if (this.#local().getUTCHours() === 0) return false
    }
    return true
  }

  #findMinute(): boolean {
    while (!this.#fields.minute.values.has(this.#local().getUTCMinutes())) {
      if (!this.#isAdvanced) this.#time -= this.#time % MINUTE
      this.#isAdvanced = true
      this.#time += MINUTE
      if (this.#local().getUTCMinutes() === 0) return false
    }
    return true
  }

  #findSecond(): boolean {
    const second = this.#local().getUTCSeconds()
    if (second === 0) return true
    this.#isAdvanced = true
    this.#time += MINUTE - second
    return false
  }
}

/** Whether month and day match. If both fields of days are restricted, one of them is enough. */
function matchesDay({ month, day, weekday }: CronFields, date: Date): boolean {
  if (!month.values.has(date.getUTCMonth() + 1)) return false
  const matches = (field: CronField, value: number): boolean => field.values.has(value)
  const [isDay, isWeekday] = [matches(day, date.getUTCDate()), matches(weekday, date.getUTCDay())]
  return day.isAny || weekday.isAny ? isDay && isWeekday : isDay || isWeekday
}
