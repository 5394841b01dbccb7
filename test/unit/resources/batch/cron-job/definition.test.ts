import { expect } from 'chai'
import { cronJobResource } from '../../../../../src/resources/batch/cron-job/definition.ts'
import { cronJob, template } from '../../../../support/jobs.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const JOB = 'spec.jobTemplate.spec'

describe('CronJob', () => {
  it('defaults its policy and history limits, but few fields of the job template', async () => {
    const { metadata, spec, status } = await new KindCases(cronJobResource).create({
      ...cronJob(),
      status: { lastScheduleTime: '2020-01-01T00:00:00Z' },
    })
    expect([metadata.generation, status]).to.deep.equal([1, {}])
    expect(spec).to.deep.include({ concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 })
    expect(spec.jobTemplate.spec).to.have.all.keys('template')
    expect(spec.jobTemplate.spec.template.spec.dnsPolicy).to.equal('ClusterFirst')
  })

  validates(
    cronJobResource,
    {
      'ranges, steps and names': [cronJob({ schedule: '*/15 0-6,18-23 * jan-mar mon-fri', concurrencyPolicy: 'Forbid' }), []],
      'no schedule': [cronJob({ schedule: '' }), ['Required spec.schedule']],
      'a time zone inside the schedule': [cronJob({ schedule: 'TZ=UTC 5 * * * *' }), ['Invalid spec.schedule']],
      'a time zone with a sign': [cronJob({ timeZone: 'Etc/GMT+5', startingDeadlineSeconds: 0, successfulJobsHistoryLimit: 0 }), []],
      'a time zone of an old name': [cronJob({ timeZone: 'US/Eastern' }), []],
      'a time zone that is not there': [cronJob({ timeZone: 'Continent/Zone' }), ['Invalid spec.timeZone']],
      'a time zone in small letters': [cronJob({ timeZone: 'europe/berlin' }), ['Invalid spec.timeZone']],
      'an abbreviation of a time zone': [cronJob({ timeZone: 'PST' }), ['Invalid spec.timeZone']],
      'no name of a time zone': [cronJob({ timeZone: '' }), ['Invalid spec.timeZone']],
      'a time zone that leaves its folder': [cronJob({ timeZone: '../etc/passwd' }), ['Invalid spec.timeZone']],
      'the time zone of the machine': [cronJob({ timeZone: 'Local' }), ['Invalid spec.timeZone']],
      'the same in other letters': [cronJob({ timeZone: 'local' }), ['Invalid spec.timeZone', 'Invalid spec.timeZone']],
      'an unknown policy': [cronJob({ concurrencyPolicy: 'Queue' }), ['NotSupported spec.concurrencyPolicy']],
      'numbers below zero': [
        cronJob({ startingDeadlineSeconds: -1, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 }),
        ['Invalid spec.startingDeadlineSeconds', 'Invalid spec.successfulJobsHistoryLimit', 'Invalid spec.failedJobsHistoryLimit'],
      ],
      'a selector of the job': [cronJob({}, { selector: { matchLabels: { a: 'b' } } }), [`Invalid ${JOB}.selector`]],
      'a manual selector': [cronJob({}, { manualSelector: true }), [`NotSupported ${JOB}.manualSelector`]],
      'a faulty job': [cronJob({}, { parallelism: -1 }), [`Invalid ${JOB}.parallelism`]],
      'pods that always restart': [
        cronJob({}, { template: template({ restartPolicy: 'Always' }) }),
        [`Required ${JOB}.template.spec.restartPolicy`],
      ],
      'a name of 52 characters': [cronJob(), [], { name: 'a'.repeat(52) }],
      'a name of 53 characters': [cronJob(), ['Invalid metadata.name'], { name: 'a'.repeat(53) }],
    },
    {
      'schedule, zone and job': [cronJob(), cronJob({ schedule: '@daily', timeZone: 'Etc/UTC', suspend: true }, { parallelism: 2 }), []],
      'a zone inside the schedule': [cronJob(), cronJob({ schedule: 'CRON_TZ=UTC 5 * * * *' }), ['Invalid spec.schedule']],
    },
  )

  const schedules: Record<string, string> = {
    error: 'expected exactly 5 fields, found 1: [error]',
    'x * * * *': 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    '9999999999999999999 * * * *':
      'failed to parse int from 9999999999999999999: strconv.Atoi: parsing "9999999999999999999": value out of range',
    '60 * * * *': 'end of range (60) above maximum (59): 60',
    '5-3 * * * *': 'beginning of range (5) beyond end of range (3): 5-3',
    '* * 0 * *': 'beginning of range (0) below minimum (1): 0',
    '1-2-3 * * * *': 'too many hyphens: 1-2-3',
    '*/2/3 * * * *': 'too many slashes: */2/3',
    '*/0 * * * *': 'step of range should be a positive number: */0',
    '* * * nov-dez *': 'failed to parse int from dez: strconv.Atoi: parsing "dez": invalid syntax',
    '@sometimes': 'unrecognized descriptor: @sometimes',
    '@every x': 'failed to parse duration @every x: time: invalid duration "x"',
    'CRON_TZ=Nowhere * * * * *': 'provided bad location Nowhere: unknown time zone Nowhere',
  }
  for (const [schedule, text] of Object.entries(schedules)) {
    it(`reports the error in ${schedule}`, async () => {
      const error = await new KindCases(cronJobResource).create(cronJob({ schedule })).catch((e: Error) => e)
      expect((error as Error).message).to.include(`spec.schedule: Invalid value: "${schedule}": ${text}`)
    })
  }
  for (const schedule of ['@hourly', '@every 1h30m', '0 0 1 JAN ?', '5/15 * * * 0-6', ' 1,2,,3  *	* * * ']) {
    it(`accepts ${schedule}`, async () => {
      await new KindCases(cronJobResource).create(cronJob({ schedule }))
    })
  }

  it('increments the generation for a changed spec and writes the status only through the subresource', async () => {
    const cases = new KindCases(cronJobResource)
    await cases.create(cronJob())
    const status = { lastScheduleTime: '2026-01-02T03:00:05Z' }
    const written = await cases.update({ ...cronJob({ suspend: true }), status }, {}, 'status')
    expect([written.status, written.spec.suspend]).to.deep.equal([status, false])
    expect((await cases.update(cronJob(), { labels: { a: 'b' } })).metadata.generation).to.equal(1)
    const changed = await cases.update(cronJob({ suspend: true }))
    expect([changed.metadata.generation, changed.status]).to.deep.equal([2, status])
    expect(cases.cells()).to.deep.equal(['x', '5 * * * ?', '<none>', 'True', 0, '4m', '0s', 'c', 'registry.example/app:1', '<none>'])
  })

  it('prints a row without a last schedule', async () => {
    const cases = new KindCases(cronJobResource)
    await cases.create(cronJob({ timeZone: 'Etc/UTC' }))
    expect(cases.cells()?.slice(1, 6)).to.deep.equal(['5 * * * ?', 'Etc/UTC', 'False', 0, '<none>'])
  })
})
