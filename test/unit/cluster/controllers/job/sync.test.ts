import { expect } from 'chai'
import { jobRulesOf } from '../../../../../src/cluster/controllers/job/rules.ts'
import { formatTime } from '../../../../../src/meta/time.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { indexedPods, jobOf, many, NOW, ON, podOf, runPass } from '../../../../support/job-passes.ts'

const types = (conditions: readonly { type: string; reason?: string }[] = []): string[] =>
  conditions.map(({ type, reason = '' }) => `${type} ${reason}`)

describe('a pass over a job', () => {
  it('starts a job with as many pods as may run at once', async () => {
    const { creations, status } = await runPass(jobOf({ parallelism: 3, completions: 10 }), [], ON)
    expect(creations).to.equal(3)
    expect(status).to.deep.equal({ active: 3, ready: 0, terminating: 0, startTime: formatTime(NOW), uncountedTerminatedPods: {} })
  })

  it('starts no more pods than completions are left', async () => {
    const { creations } = await runPass(jobOf({ parallelism: 3, completions: 4 }), many(2, { phase: 'Succeeded' }), ON)
    expect(creations).to.equal(2)
  })

  it('counts pods that have ended, and then removes their finalizers', async () => {
    const { patches, status } = await runPass(
      jobOf({ parallelism: 1, completions: 9 }),
      [...many(2, { phase: 'Succeeded' }), ...many(1, { phase: 'Failed' })],
      ON,
    )
    expect([patches, status.succeeded, status.failed, status.uncountedTerminatedPods]).to.deep.equal([3, 2, 1, {}])
  })

  it('completes a job in one pass if no pod is left', async () => {
    const { status, events } = await runPass(jobOf({ completions: 2 }), many(2, { phase: 'Succeeded' }), ON)
    expect(types(status.conditions)).to.deep.equal(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'])
    expect(status.completionTime).to.equal(formatTime(NOW))
    expect(events).to.deep.equal(['Normal Completed Job completed'])
  })

  it('waits for terminating pods before the final condition of a job that has failed', async () => {
    const { deletions, status, events } = await runPass(
      jobOf({ backoffLimit: 0 }),
      [...many(1, { phase: 'Failed' }), ...many(1, { phase: 'Running' })],
      ON,
    )
    expect(types(status.conditions)).to.deep.equal(['FailureTarget BackoffLimitExceeded'])
    expect([deletions, status.terminating, status.failed, events]).to.deep.equal([1, 1, 2, []])
    const last = await runPass(jobOf({ backoffLimit: 0 }, status), [], ON)
    expect(types(last.status.conditions)).to.deep.equal(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded'])
    expect(last.events).to.deep.equal(['Warning BackoffLimitExceeded Job has reached the specified backoff limit'])
  })

  it('has only the final condition, without a reason, in release 1.30', async () => {
    const { status } = await runPass(jobOf({ completions: 1 }), many(1, { phase: 'Succeeded' }), jobRulesOf(featuresIn('1.30')))
    expect(types(status.conditions)).to.deep.equal(['Complete '])
  })

  it('waits for the back-off before it replaces a failed pod', async () => {
    const [failed] = many(1, { phase: 'Failed' })
    if (failed) failed.metadata.creationTimestamp = formatTime(NOW - 4000)
    const { creations, checks, status } = await runPass(jobOf({}), failed ? [failed] : [], ON)
    expect([creations, checks, status.failed]).to.deep.equal([0, [6000], 1])
  })

  it('ends a job at its deadline, and looks at it then', async () => {
    const job = jobOf({ activeDeadlineSeconds: 60, completions: 5 }, { startTime: formatTime(NOW - 20_000) })
    expect((await runPass(job, many(1, { phase: 'Running' }), ON)).checks).to.deep.equal([40_000])
    const late = jobOf({ activeDeadlineSeconds: 60, completions: 5 }, { startTime: formatTime(NOW - 60_000) })
    expect(types((await runPass(late, many(1, { phase: 'Running' }), ON)).status.conditions)).to.deep.equal([
      'FailureTarget DeadlineExceeded',
    ])
  })

  it('suspends and resumes a job', async () => {
    const suspended = await runPass(
      jobOf({ suspend: true, parallelism: 2 }, { startTime: formatTime(NOW - 9000) }),
      many(2, { phase: 'Running' }),
      ON,
    )
    expect([suspended.deletions, suspended.events, types(suspended.status.conditions)]).to.deep.equal([
      2,
      ['Normal Suspended Job suspended'],
      ['Suspended JobSuspended'],
    ])
    expect(suspended.status.startTime).to.equal(formatTime(NOW - 9000))
    const resumed = await runPass(jobOf({ suspend: false, parallelism: 2 }, suspended.status), [], ON)
    expect([resumed.creations, resumed.events, types(resumed.status.conditions)]).to.deep.equal([
      2,
      ['Normal Resumed Job resumed'],
      ['Suspended JobResumed'],
    ])
    expect(resumed.status.startTime).to.equal(formatTime(NOW))
  })

  it('clears the start time of a suspended job if the release does', async () => {
    const { status } = await runPass(jobOf({ suspend: true }, { startTime: formatTime(NOW) }), [], { ...ON, clearsStartTime: true })
    expect(status.startTime).to.equal(undefined)
  })

  it('gives free indexes to new pods, and records those that have succeeded', async () => {
    const job = jobOf({ completionMode: 'Indexed', completions: 6, parallelism: 3 })
    const { indexes, status } = await runPass(
      job,
      indexedPods([
        ['0', 'Succeeded'],
        ['2', 'Running'],
        ['3', 'Succeeded'],
      ]),
      ON,
    )
    expect([indexes, status.completedIndexes, status.succeeded]).to.deep.equal([[1, 4], '0,3', 2])
  })

  it('deletes pods with the same index before it creates others', async () => {
    const job = jobOf({ completionMode: 'Indexed', completions: 6, parallelism: 3 })
    const { creations, deletions } = await runPass(
      job,
      indexedPods([
        ['0', 'Running'],
        ['0', 'Pending'],
      ]),
      ON,
    )
    expect([creations, deletions]).to.deep.equal([0, 1])
  })

  it('keeps the finalizer of a failed pod until its index has a new pod', async () => {
    const job = jobOf({ completionMode: 'Indexed', completions: 2, parallelism: 1, backoffLimitPerIndex: 2 })
    const failed = podOf({ uid: 'f', phase: 'Failed', index: '0', indexFailureCount: '0', finalizer: true })
    const first = await runPass(job, [failed], ON)
    expect([first.indexes, first.patches]).to.deep.equal([[0], 0])
    const second = await runPass(job, [failed, podOf({ phase: 'Running', index: '0', indexFailureCount: '1', finalizer: true })], ON)
    expect([second.patches, second.status.failed]).to.deep.equal([1, 1])
  })

  it('fails a job when all its indexes have ended and some have failed', async () => {
    const job = jobOf({ completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 0 })
    const { status } = await runPass(
      job,
      indexedPods([
        ['0', 'Succeeded'],
        ['1', 'Failed'],
      ]),
      ON,
    )
    expect([types(status.conditions), status.failedIndexes, status.completedIndexes]).to.deep.equal([
      ['FailureTarget FailedIndexes', 'Failed FailedIndexes'],
      '1',
      '0',
    ])
  })

  it('replaces a terminating pod only once it has failed, if the job says so', async () => {
    const pods = many(1, { phase: 'Running', terminating: true })
    expect((await runPass(jobOf({ podReplacementPolicy: 'Failed' }), pods, ON)).creations).to.equal(0)
    const replaced = await runPass(jobOf({ podReplacementPolicy: 'TerminatingOrFailed' }), pods, ON)
    expect([replaced.checks, replaced.status.failed, replaced.status.terminating]).to.deep.equal([[10_000], 1, 1])
  })

  it('counts at most 500 pods in one pass', async () => {
    const { status, patches } = await runPass(jobOf({ completions: 700, parallelism: 1 }), many(700, { phase: 'Succeeded' }), ON)
    expect([patches, status.succeeded, types(status.conditions)]).to.deep.equal([500, 500, ['SuccessCriteriaMet CompletionsReached']])
  })
})
