import { expect } from 'chai'
import { smallerSchedules } from '../../../src/explore/shrink.ts'

describe('smaller schedules', () => {
  const hold = { hold: 'Quiet' } as const
  const cut = { cut: 'BeforeCommit' } as const
  const stale = { behindChanges: 2 }

  it('have one fault, or one less', () => {
    expect(smallerSchedules([hold])).to.deep.equal([])
    expect(smallerSchedules([hold, cut])).to.deep.equal([[hold], [cut]])
    expect(smallerSchedules([hold, cut, hold])).to.have.length(6)
  })

  it('have milder faults', () => {
    expect(smallerSchedules([stale])).to.deep.equal([[{ behindChanges: 1 }]])
    const event = { name: 'a' }
    expect(smallerSchedules([{ watch: { endBefore: event, withGone: true, reopen: 'Quiet' } }])).to.deep.equal([
      [{ watch: { endBefore: event } }],
      [{ watch: { endBefore: event, withGone: true } }],
      [{ watch: { endBefore: event, reopen: 'Quiet' } }],
    ])
  })
})
