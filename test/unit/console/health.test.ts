import { expect } from 'chai'
import { conditionsOf, isUnhealthy } from '../../../src/console/health.ts'

const columns = ['Name', 'Ready', 'Status', 'Available', 'Age'].map(name => ({ name }))

describe('health of rows', () => {
  for (const [cells, expected] of [
    [['a', '1/1', 'Running', 'True', '5m'], false],
    [['a', '0/2', '', '', ''], true],
    [['a', '0/0', 'Completed', '', ''], false],
    [['a', '2/2', 'CrashLoopBackOff', '', ''], true],
    [['a', '', 'Init:ImagePullBackOff', '', ''], true],
    [['a', '', 'NotReady,SchedulingDisabled', '', ''], true],
    [['a', '', 'Ready,SchedulingDisabled', '', ''], false],
    [['a', '', 'Lost', '', ''], true],
    [['a', 'False', 'Active', '', ''], true],
    [['a', '', '', 'False (MissingEndpoint)', ''], true],
    [['Error', '', '', '1', ''], false],
    [['a', null, null, null, null], false],
  ] as const)
    it(`is ${expected ? 'bad' : 'good'} for ${cells.join(' ')}`, () => expect(isUnhealthy(columns, { cells })).to.equal(expected))
})

describe('conditions of objects', () => {
  it('are read from the status', () => {
    const status = { conditions: [{ type: 'Available', status: 'False', reason: 'R', message: 'm' }, 'x', { type: 1 }] }
    expect(conditionsOf({ status })).to.deep.equal([
      { type: 'Available', status: 'False', reason: 'R', message: 'm' },
      { type: '', status: '', reason: '', message: '' },
    ])
  })
  it('may be absent or malformed', () => {
    for (const object of [null, {}, { status: null }, { status: { conditions: 'x' } }]) expect(conditionsOf(object)).to.deep.equal([])
  })
  it('are limited in number', () =>
    expect(conditionsOf({ status: { conditions: Array.from({ length: 1000 }, () => ({ type: 'a'.repeat(1000) })) } })).to.have.length(50))
})
