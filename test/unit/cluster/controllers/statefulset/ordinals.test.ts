import { expect } from 'chai'
import { identityOfName, isInRange, isMemberOf } from '../../../../../src/cluster/controllers/statefulset/ordinals.ts'
import { podOf, statefulSet } from './sets.ts'

describe('ordinals of a stateful set', () => {
  it('are read from the names of pods', () => {
    const identity = (name: string): unknown[] => Object.values(identityOfName(name))
    expect(identity('web-10')).to.deep.equal(['web', 10])
    expect(identity('a-b-0')).to.deep.equal(['a-b', 0])
    expect(identity('web')).to.deep.equal(['', -1])
    expect(identity('web-x1')).to.deep.equal(['', -1])
    expect(identity('web-99999999999')).to.deep.equal(['web', -1])
  })

  it('are those from the start', () => {
    const set = statefulSet({ replicas: 2, ordinals: { start: 5 } })
    expect([4, 5, 6, 7].map(ordinal => isInRange(set, ordinal))).to.deep.equal([false, true, true, false])
  })

  it('tell to which set a pod belongs', () => {
    expect(isMemberOf(statefulSet(), podOf(0))).to.equal(true)
    const other = podOf(0)
    other.metadata.name = 'web-a-0'
    expect(isMemberOf(statefulSet(), other)).to.equal(false)
  })
})
