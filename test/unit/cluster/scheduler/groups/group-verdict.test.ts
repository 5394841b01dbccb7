import { expect } from 'chai'
import { type GroupCounts, groupVerdict, memberMessage, noPlacement } from '../../../../../src/cluster/scheduler/groups/group-verdict.ts'

const counts = (minCount: number | undefined, before: number, placed: number, remaining: number): GroupCounts => ({
  minCount,
  before,
  placed,
  remaining,
})
const IN_VAIN = 'pod group is unschedulable'

describe('the verdict about a group of pods', () => {
  const cases: [string, GroupCounts, object, object][] = [
    [
      'enough pods',
      counts(3, 0, 3, 1),
      { isFeasible: true, isPossible: true, message: '' },
      { isFeasible: true, isPossible: true, message: '' },
    ],
    [
      'enough pods, with those of earlier cycles',
      counts(3, 2, 1, 0),
      { isFeasible: true, isPossible: true, message: '' },
      { isFeasible: true, isPossible: true, message: '' },
    ],
    [
      'pods that are not enough yet',
      counts(3, 0, 2, 1),
      { isFeasible: false, isPossible: true, message: IN_VAIN },
      { isFeasible: false, isPossible: true, message: `${IN_VAIN}, minCount (3) is not yet satisfied: 2 scheduled, 1 remaining` },
    ],
    [
      'pods that cannot be enough',
      counts(3, 0, 1, 1),
      { isFeasible: false, isPossible: true, message: IN_VAIN },
      { isFeasible: false, isPossible: false, message: `${IN_VAIN}, minCount (3) cannot be satisfied: 1 scheduled, 1 remaining` },
    ],
    [
      'no new pod',
      counts(2, 2, 0, 0),
      { isFeasible: false, isPossible: true, message: IN_VAIN },
      { isFeasible: true, isPossible: true, message: '' },
    ],
    [
      'a pod of a group without a minimum',
      counts(undefined, 0, 1, 0),
      { isFeasible: true, isPossible: true, message: '' },
      { isFeasible: true, isPossible: true, message: '' },
    ],
    [
      'no pod of a group without a minimum',
      counts(undefined, 0, 0, 0),
      { isFeasible: false, isPossible: true, message: IN_VAIN },
      { isFeasible: false, isPossible: false, message: `${IN_VAIN}, minCount (1) cannot be satisfied: 0 scheduled, 0 remaining` },
    ],
  ]
  for (const [what, given, in36, in37] of cases)
    it(`is right for ${what}`, () => {
      expect(groupVerdict(given, '1.36')).to.deep.equal(in36)
      expect(groupVerdict(given, '1.37')).to.deep.equal(in37)
    })

  it('words messages as the release does', () => {
    expect(memberMessage('reason', '1.36')).to.equal(`${IN_VAIN}, waiting for minCount pods from a gang to be scheduled`)
    expect(memberMessage('reason', '1.37')).to.equal(`${IN_VAIN}, reason`)
    expect(noPlacement(2, '1.36')).to.equal(`0/2 placements are available, first placement status: ${IN_VAIN}`)
    expect(noPlacement(2, '1.37')).to.equal(`${IN_VAIN}, 0/2 placements are available, reported placement status: ${IN_VAIN}`)
    expect(noPlacement(2, '1.37', `${IN_VAIN}, no room`)).to.equal(
      `${IN_VAIN}, 0/2 placements are available, first placement status: no room`,
    )
  })
})
