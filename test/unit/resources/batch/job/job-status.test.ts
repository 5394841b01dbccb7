import { expect } from 'chai'
import type { Job } from '../../../../../src/api/batch/v1.types.ts'
import { jobResource } from '../../../../../src/resources/batch/job/definition.ts'
import { validateJobStatusUpdate } from '../../../../../src/resources/batch/job/status-validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresIn, hookContext } from '../../../../support/hook-context.ts'
import { job, template } from '../../../../support/jobs.ts'
import { causesOf, KindCases } from '../../../../support/kind-cases.ts'

const START = '2026-01-02T03:00:00Z'
const END = '2026-01-02T03:01:30Z'
const on = (...types: string[]) => types.map(type => ({ type, status: 'True' }))
const complete = { startTime: START, completionTime: END, succeeded: 1, conditions: on('SuccessCriteriaMet', 'Complete') }
const failed = { startTime: START, failed: 1, conditions: on('FailureTarget', 'Failed') }
const indexed = { completionMode: 'Indexed', completions: 8, backoffLimitPerIndex: 1 }
const CONDITIONS = 'Invalid status.conditions'

async function jobWith(spec: object, status?: object): Promise<KindCases> {
  const cases = new KindCases(jobResource)
  await cases.create(job(spec))
  if (status) await cases.update({ ...job(spec), status }, {}, 'status')
  return cases
}

describe('the status of a Job', () => {
  it('is written only through the subresource, which changes nothing else', async () => {
    const cases = await jobWith({})
    const written = await cases.update({ ...job({ parallelism: 9 }), status: complete }, {}, 'status')
    expect([written.status?.succeeded, written.spec.parallelism, written.metadata.generation]).to.deep.equal([1, 1, 1])
    const updated = await cases.update({ spec: { ...written.spec, parallelism: 2 }, status: { succeeded: 7 } })
    expect([updated.status?.succeeded, updated.spec.parallelism]).to.deep.equal([1, 2])
  })

  // Changes from the first status, if any, to the second.
  const cases: Record<string, [spec: object, before: object | undefined, after: object, causes: string[]]> = {
    'a job that is complete': [{}, undefined, complete, []],
    'a job that has failed': [{}, undefined, failed, []],
    'numbers below zero': [{}, undefined, { active: -1, ready: -1 }, ['Invalid status.active', 'Invalid status.ready']],
    'completion without criteria': [{}, undefined, { ...complete, conditions: on('Complete') }, [CONDITIONS]],
    'failure without a target': [{}, undefined, { ...failed, conditions: on('Failed') }, [CONDITIONS]],
    'both ends': [
      {},
      undefined,
      { ...complete, conditions: on('SuccessCriteriaMet', 'Complete', 'Failed', 'FailureTarget') },
      Array(4).fill(CONDITIONS),
    ],
    'completion without times': [
      {},
      undefined,
      { conditions: complete.conditions },
      ['Required status.completionTime', 'Required status.startTime'],
    ],
    'completion of none, suspended': [
      { suspend: true, completions: 0 },
      undefined,
      { completionTime: END, conditions: complete.conditions },
      [],
    ],
    'a time of completion too early': [{}, undefined, { completionTime: END }, ['Invalid status.completionTime']],
    'an end before the start': [{}, undefined, { ...complete, startTime: END, completionTime: START }, ['Invalid status.completionTime']],
    'an end with pods': [
      {},
      undefined,
      { ...complete, active: 1, terminating: 1 },
      ['Invalid status.active', 'Invalid status.terminating'],
    ],
    'an end with pods that are not counted': [
      {},
      undefined,
      { ...complete, uncountedTerminatedPods: { succeeded: ['u'] } },
      ['Invalid status.uncountedTerminatedPods'],
    ],
    'pods that are counted twice': [
      {},
      undefined,
      { uncountedTerminatedPods: { succeeded: ['u', ''], failed: ['u'] } },
      ['Invalid status.uncountedTerminatedPods.succeeded[1]', 'Duplicate status.uncountedTerminatedPods.failed[0]'],
    ],
    'more ready pods than active': [{}, undefined, { active: 1, ready: 2 }, ['Invalid status.ready']],
    'an end that is taken back': [
      {},
      complete,
      { ...complete, conditions: on('SuccessCriteriaMet') },
      ['Invalid status.completionTime', CONDITIONS],
    ],
    'another end': [{}, complete, { ...complete, completionTime: '2026-01-02T03:02:00Z' }, ['Invalid status.completionTime']],
    'another start': [{}, { startTime: START }, { startTime: END }, ['Required status.startTime']],
    'another start of a suspended job': [{ suspend: true }, { startTime: START }, {}, []],
    'fewer than there were': [
      {},
      { succeeded: 2, failed: 2 },
      { succeeded: 1, failed: 1 },
      ['Invalid status.failed', 'Invalid status.succeeded'],
    ],
    'fewer of a job that may shrink': [
      { completionMode: 'Indexed', completions: 2, parallelism: 2 },
      { succeeded: 2 },
      { succeeded: 1 },
      [],
    ],
    'criteria that are met no more': [{}, { conditions: on('SuccessCriteriaMet') }, {}, [CONDITIONS]],
    indexes: [indexed, undefined, { completedIndexes: '1,3-5,7', failedIndexes: '0,2' }, []],
    'indexes that overlap': [indexed, undefined, { completedIndexes: '1,3-5', failedIndexes: '0,4-6' }, ['Invalid status.failedIndexes']],
    'indexes out of range': [
      indexed,
      undefined,
      { completedIndexes: '8', failedIndexes: '9' },
      ['Invalid status.completedIndexes', 'Invalid status.failedIndexes'],
    ],
    'indexes of a job without': [
      {},
      undefined,
      { completedIndexes: '0', failedIndexes: '' },
      ['Invalid status.completedIndexes', 'Invalid status.failedIndexes'],
    ],
  }
  it('reports a changed or removed start time once from 1.36 on', async () => {
    for (const startTime of [END, undefined]) {
      const made = await jobWith({}, { startTime: START })
      made.server.features = featuresIn('1.36')
      expect(await causesOf(made.update({ ...job({}), status: { ...(startTime && { startTime }) } }, {}, 'status'))).to.deep.equal([
        'Invalid status.startTime',
      ])
    }
  })

  for (const [what, [spec, before, after, causes]] of Object.entries(cases)) {
    it(`${causes.length === 0 ? 'accepts' : 'refuses'}: ${what}`, async () => {
      const made = await jobWith(spec, before)
      expect(await causesOf(made.update({ ...job(spec), status: after }, {}, 'status'))).to.deep.equal(causes)
    })
  }

  it('validates very many pods that are not counted in steps', () => {
    const succeeded = Array.from({ length: 10_000 }, (_, i) => `u${i}`)
    const old = job({}) as unknown as Job
    const next: Job = { ...old, status: { uncountedTerminatedPods: { succeeded, failed: ['', 'u1'] } } }
    const { result, yields } = countedSteps(validateJobStatusUpdate(next, { ...old, status: {} }, hookContext()))
    expect(result.map(({ reason, field }) => `${reason} ${field}`)).to.deep.equal([
      'FieldValueInvalid status.uncountedTerminatedPods.failed[0]',
      'FieldValueDuplicate status.uncountedTerminatedPods.failed[1]',
    ])
    expect(yields).to.be.at.least(18)
  })

  const rows: Record<string, [spec: object, status: object | undefined, state: string, completions: string, duration: string]> = {
    'a job that has not begun': [{}, undefined, 'Running', '0/1', ''],
    'a job that runs': [{ completions: 2 }, { startTime: START, succeeded: 1 }, 'Running', '1/2', '4m5s'],
    'any number of successes': [{ parallelism: 3 }, undefined, 'Running', '0/1 of 3', ''],
    'one success': [{ parallelism: 1 }, undefined, 'Running', '0/1', ''],
    'a suspended job': [{ suspend: true }, { conditions: on('Suspended') }, 'Suspended', '0/1', ''],
    'a job about to fail': [{}, { conditions: on('FailureTarget') }, 'FailureTarget', '0/1', ''],
    'a failed job': [{}, failed, 'Failed', '0/1', '4m5s'],
    'a complete job': [{}, complete, 'Complete', '1/1', '90s'],
    'a start that lies ahead': [{}, { startTime: '2099-01-01T00:00:00Z' }, 'Running', '0/1', '<invalid>'],
  }
  for (const [what, [spec, status, ...expected]] of Object.entries(rows)) {
    it(`prints ${what}`, async () => {
      const cells = (await jobWith({ ...spec, template: template() }, status)).cells() ?? []
      expect(cells.slice(0, 7)).to.deep.equal(['x', ...expected, '0s', 'c', 'registry.example/app:1'])
      expect(cells[7]).to.match(/^batch\.kubernetes\.io\/controller-uid=uid-/)
    })
  }
})
