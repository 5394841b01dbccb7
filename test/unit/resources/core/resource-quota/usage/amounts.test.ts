import { expect } from 'chai'
import { MANY_MEMBERS, noteMembers } from '../../../../../../src/lib/wide-objects.ts'
import { amountsInSteps, amountsOf, sameAmounts } from '../../../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { countedSteps } from '../../../../../support/counted-steps.ts'

describe('the amounts of a quota', () => {
  it('are parsed in steps if they are many, to the same', () => {
    const count = 2 * MANY_MEMBERS
    const list = noteMembers(Object.fromEntries(Array.from({ length: count }, (_, i) => [`count/x${i}`, `${i}`])), count)
    const { result, yields } = countedSteps(amountsInSteps(list))
    expect(yields).to.be.at.least(count / 512)
    expect(sameAmounts(result, amountsOf(list))).to.equal(true)
    expect(sameAmounts(result, amountsOf({ ...list, 'count/x7': '8' }))).to.equal(false)
  })

  it('are none without a list', () => {
    expect(countedSteps(amountsInSteps(undefined))).to.deep.equal({ result: new Map(), yields: 0 })
  })
})
