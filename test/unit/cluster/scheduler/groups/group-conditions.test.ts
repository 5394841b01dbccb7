import { expect } from 'chai'
import type { Condition } from '../../../../../src/api/meta/v1.types.ts'
import { changedCondition, SCHEDULED } from '../../../../../src/cluster/scheduler/groups/group-conditions.ts'

const type = 'PodGroupScheduled'
const [T0, T1] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z']
const failed = { type, status: 'False', reason: 'Unschedulable', message: 'no room' }
const old = (parts: object = {}): { conditions: Condition[] } => ({
  conditions: [{ ...failed, observedGeneration: 1, lastTransitionTime: T0, ...parts } as Condition],
})

describe('the condition of a group of pods', () => {
  it('is set with the generation of the group', () =>
    expect(changedCondition({}, failed, 2, T1)).to.deep.equal({ ...failed, observedGeneration: 2, lastTransitionTime: T1 }))

  it('stays as it is if nothing changes', () => expect(changedCondition(old(), failed, 1, T1)).to.equal(undefined))

  it('keeps the time of its last transition if only the message changes', () =>
    expect(changedCondition(old(), { ...failed, message: 'other' }, 1, T1)).to.include({ message: 'other', lastTransitionTime: T0 }))

  it('becomes true once the group is scheduled, and remains so', () => {
    expect(changedCondition(old(), { type, ...SCHEDULED }, 1, T1)).to.include({ status: 'True', lastTransitionTime: T1 })
    expect(changedCondition(old({ status: 'True' }), failed, 1, T1)).to.equal(undefined)
  })
})
