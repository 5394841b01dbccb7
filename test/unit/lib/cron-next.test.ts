import { expect } from 'chai'
import { nextTime } from '../../../src/lib/cron-next.ts'
import { parseSchedule } from '../../../src/lib/cron-schedule.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

function next(schedule: string, after: string, zone?: string): string {
  const time = nextTime(runAtOnce(parseSchedule(schedule)), Date.parse(after) / 1000, zone)
  return time === undefined ? 'never' : new Date(time * 1000).toISOString().replace('.000', '')
}

describe('next time of a schedule', () => {
  const cases: [schedule: string, after: string, next: string][] = [
    ['* * * * *', '2026-03-01T12:00:59.900Z', '2026-03-01T12:01:00Z'],
    ['30 4 * * *', '2026-03-01T04:30:00Z', '2026-03-02T04:30:00Z'],
    ['0-10/5 8 * * *', '2026-03-01T08:06:00Z', '2026-03-01T08:10:00Z'],
    ['50/5 * * * *', '2026-03-01T08:56:00Z', '2026-03-01T09:50:00Z'],
    ['0 0 31 * *', '2026-03-31T00:00:00Z', '2026-05-31T00:00:00Z'],
    ['0 0 29 2 *', '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 0 30 2 *', '2026-03-01T00:00:00Z', 'never'],
    ['0 0 10 * mon', '2026-03-03T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['0 0 * * mon', '2026-03-03T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['0 0 */10 * mon', '2026-03-03T00:00:00Z', '2026-03-09T00:00:00Z'],
    ['@weekly', '2026-03-03T10:00:00Z', '2026-03-08T00:00:00Z'],
    ['@yearly', '2026-03-03T10:00:00Z', '2027-01-01T00:00:00Z'],
    ['@every 90m', '2026-03-03T10:00:00Z', '2026-03-03T11:30:00Z'],
    ['@every 200ms', '2026-03-03T10:00:00Z', '2026-03-03T10:00:01Z'],
    ['TZ=Asia/Tokyo 0 9 * * *', '2026-03-03T10:00:00Z', '2026-03-04T00:00:00Z'],
  ]
  for (const [schedule, after, expected] of cases)
    it(`finds ${expected} for ${schedule} after ${after}`, () => expect(next(schedule, after)).to.equal(expected))

  it('is never for a field without values', () => expect(next(', * * * *', '2026-03-01T00:00:00Z')).to.equal('never'))

  const zoned: [title: string, schedule: string, zone: string, after: string, next: string][] = [
    ['follows the clocks of the zone', '0 7 * * *', 'Europe/Paris', '2026-07-01T00:00:00Z', '2026-07-01T05:00:00Z'],
    ['skips a time that clocks skip', '15 2 * * *', 'America/Chicago', '2026-03-08T06:30:00Z', '2026-03-09T07:15:00Z'],
    ['takes the first of two equal times', '15 1 * * *', 'America/Chicago', '2026-11-01T05:00:00Z', '2026-11-01T06:15:00Z'],
    ['runs every hour when clocks go back', '0 * * * *', 'America/Chicago', '2026-11-01T06:30:00Z', '2026-11-01T07:00:00Z'],
    ['handles a midnight that clocks skip', '30 * 15 10 *', 'America/Sao_Paulo', '2017-10-15T02:45:00Z', '2017-10-15T03:30:00Z'],
    [
      'does not match the day before a midnight that clocks skip',
      '30 23 * * 5',
      'Africa/Cairo',
      '2023-04-22T12:00:00Z',
      '2023-05-05T20:30:00Z',
    ],
    [
      'matches the first day of a month whose midnight clocks skip',
      '0 1 1 8 *',
      'Africa/Cairo',
      '2014-07-01T12:00:00Z',
      '2014-07-31T22:00:00Z',
    ],
    ['handles offsets of half an hour', '0 0 * * *', 'Asia/Kolkata', '2026-05-01T00:00:00Z', '2026-05-01T18:30:00Z'],
  ]
  for (const [title, schedule, zone, after, expected] of zoned) it(title, () => expect(next(schedule, after, zone)).to.equal(expected))

  it('prefers the zone in the text of the schedule', () =>
    expect(next('CRON_TZ=Etc/GMT+2 0 6 * * *', '2026-01-01T00:00:00Z', 'Asia/Tokyo')).to.equal('2026-01-01T08:00:00Z'))
})
