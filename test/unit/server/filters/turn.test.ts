import { expect } from 'chai'
import { turnIsSpent } from '../../../../src/lib/turn.ts'
import { withTurn } from '../../../../src/server/filters/turn.ts'
import { filterContext, runFilter } from '../../../support/filter-context.ts'

describe('withTurn', () => {
  it('continues immediately if the turn has time left', async () => {
    await new Promise(setImmediate)
    let passed = false
    const done = runFilter(withTurn, filterContext(), async () => {
      passed = true
    })
    // The turn may be spent by now, depending on the machine. Then it continues later.
    expect(passed || turnIsSpent()).to.equal(true)
    await done
    expect(passed).to.equal(true)
  })
  it('continues in a later turn if this one is spent', async () => {
    while (!turnIsSpent());
    let passed = false
    const done = runFilter(withTurn, filterContext(), async () => {
      passed = true
    })
    await Promise.resolve()
    expect(passed).to.equal(false)
    await done
    expect(passed).to.equal(true)
  })
})
