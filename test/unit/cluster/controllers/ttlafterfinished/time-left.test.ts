import { expect } from 'chai'
import { timeLeft } from '../../../../../src/cluster/controllers/ttlafterfinished/time-left.ts'
import { jobOf } from '../../../../support/job-passes.ts'

const END = Date.parse('2026-01-01T00:00:00Z')
const ended = (type: string) => ({
  conditions: [{ type, status: 'True', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' }],
})

describe('time until a finished job is deleted', () => {
  it('is counted from the end of the job', () => {
    expect(timeLeft(jobOf({ ttlSecondsAfterFinished: 60 }, ended('Complete')), END + 20_000)).to.equal(40_000)
    expect(timeLeft(jobOf({ ttlSecondsAfterFinished: 60 }, ended('Failed')), END + 61_000)).to.equal(-1000)
    expect(timeLeft(jobOf({ ttlSecondsAfterFinished: 0 }, ended('Failed')), END)).to.equal(0)
  })

  it('is unlimited for a job without a limit, a running one and one that is being deleted', () => {
    expect(timeLeft(jobOf({}, ended('Complete')), END)).to.equal(undefined)
    expect(timeLeft(jobOf({ ttlSecondsAfterFinished: 5 }, ended('Suspended')), END)).to.equal(undefined)
    const deleted = jobOf({ ttlSecondsAfterFinished: 5 }, ended('Complete'))
    deleted.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(timeLeft(deleted, END)).to.equal(undefined)
  })
})
