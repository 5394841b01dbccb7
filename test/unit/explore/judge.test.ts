import { expect } from 'chai'
import { finalState, type StateObject, Variation } from '../../../src/explore/final-state.ts'
import { judgeState, judgeWrites, writeLimit } from '../../../src/explore/judge.ts'

const object = (id: string, metadata: object = {}): StateObject => ({ id, value: { metadata: { name: id, ...metadata } } })
const expected = (objects: readonly StateObject[], writes = 10) => ({
  state: finalState(objects),
  steps: [],
  alternatives: [],
  isComparable: true,
  variation: new Variation([]),
  writes,
})

describe('the judgement of a run', () => {
  const judge = (objects: readonly StateObject[]) => judgeState(objects, finalState(objects), expected([object('a')]))?.kind

  it('accepts the state of the undisturbed run', () => {
    expect(judge([object('a')])).to.equal(undefined)
  })

  it('accepts an alternative state', () => {
    const both = [object('a'), object('b')]
    const other = { ...expected([object('a')]), alternatives: [{ state: finalState(both), steps: [] }] }
    expect(judgeState(both, finalState(both), other)).to.equal(undefined)
    expect(judgeState([object('b')], finalState([object('b')]), other)?.kind).to.equal('final state')
  })

  it('names the kind of a failure', () => {
    expect(judge([])).to.equal('final state')
    expect(judge([object('a', { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x'] })])).to.equal('stuck deletion')
    expect(judge([object('a'), object('b', { ownerReferences: [{ uid: 'gone' }] })])).to.equal('orphan')
    expect(judge([object('a'), object('b', { ownerReferences: [{ uid: 'here' }] }), object('c', { uid: 'here' })])).to.equal('final state')
  })

  it('allows three times the writes, and at least ten more', () => {
    expect([writeLimit(expected([], 10)), writeLimit(expected([], 1))]).to.deep.equal([30, 11])
    expect(judgeWrites(30, expected([], 10))).to.equal(undefined)
    expect(judgeWrites(31, expected([], 10))?.kind).to.equal('write storm')
  })
})
