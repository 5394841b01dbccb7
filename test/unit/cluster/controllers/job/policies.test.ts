import { expect } from 'chai'
import type { PodFailurePolicyRule, SuccessPolicyRule } from '../../../../../src/api/batch/v1.types.ts'
import { matchFailurePolicy } from '../../../../../src/cluster/controllers/job/failure-policy.ts'
import { parseIndexes } from '../../../../../src/cluster/controllers/job/intervals.ts'
import { matchSuccessPolicy } from '../../../../../src/cluster/controllers/job/success-policy.ts'
import { podOf } from '../../../../support/job-passes.ts'

const onCode = (action: PodFailurePolicyRule['action'], operator: 'In' | 'NotIn', ...values: number[]): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator, values },
})
const onDisruption: PodFailurePolicyRule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }

describe('pod failure policy', () => {
  const failed = podOf({ uid: 'p', phase: 'Failed', exitCode: 3 })
  const cases: [string, PodFailurePolicyRule[], object][] = [
    ['counts a failure without a rule', [], { counts: true }],
    ['ignores a code', [onCode('Ignore', 'In', 1, 3)], { action: 'Ignore', counts: false }],
    [
      'takes the first rule that matches',
      [onCode('Ignore', 'In', 1), onCode('Count', 'In', 3), onCode('Ignore', 'In', 3)],
      { action: 'Count', counts: true },
    ],
    ['matches a code that is not listed', [onCode('FailIndex', 'NotIn', 4)], { action: 'FailIndex', counts: true }],
    [
      'fails the job, and names container and rule',
      [onCode('Count', 'In', 9), onCode('FailJob', 'In', 3)],
      {
        action: 'FailJob',
        counts: true,
        failJobMessage: 'Container c for pod default/p failed with exit code 3 matching FailJob rule at index 1',
      },
    ],
    ['skips conditions that the pod does not have', [onDisruption], { counts: true }],
    [
      'skips a rule for another container',
      [{ action: 'Ignore', onExitCodes: { containerName: 'other', operator: 'In', values: [3] } }],
      { counts: true },
    ],
  ]
  for (const [title, rules, match] of cases) it(title, () => expect(matchFailurePolicy({ rules }, failed, true)).to.deep.equal(match))

  it('skips rules with FailIndex if the release has no limits per index', () =>
    expect(matchFailurePolicy({ rules: [onCode('FailIndex', 'In', 3)] }, failed, false)).to.deep.equal({ counts: true }))

  it('never matches a container that ended with 0', () =>
    expect(matchFailurePolicy({ rules: [onCode('Ignore', 'NotIn', 3)] }, podOf({ phase: 'Failed', exitCode: 0 }), true)).to.deep.equal({
      counts: true,
    }))

  it('matches a condition of the pod', () => {
    const disrupted = podOf({ phase: 'Failed', condition: { type: 'DisruptionTarget', status: 'True' } })
    expect(matchFailurePolicy({ rules: [onDisruption] }, disrupted, true).counts).to.equal(false)
  })
})

describe('success policy', () => {
  const cases: [string, SuccessPolicyRule[], string, string | undefined][] = [
    ['is not met without succeeded indexes', [{ succeededCount: 0 }], '', undefined],
    ['is met by a number of indexes', [{ succeededCount: 3 }], '0,4-5', 'Matched rules at index 0'],
    ['is met by all listed indexes', [{ succeededIndexes: '9' }, { succeededIndexes: '0,4' }], '0,4-5', 'Matched rules at index 1'],
    ['is not met by some of them', [{ succeededIndexes: '0-5' }], '0,4-5', undefined],
    ['is met by a number of the listed ones', [{ succeededIndexes: '0-4', succeededCount: 2 }], '0,4-5', 'Matched rules at index 0'],
    ['does not count others', [{ succeededIndexes: '0-3', succeededCount: 2 }], '0,4-5', undefined],
  ]
  for (const [title, rules, succeeded, message] of cases)
    it(title, () => expect(matchSuccessPolicy({ rules }, 10, parseIndexes(succeeded, 10))).to.equal(message))
})
