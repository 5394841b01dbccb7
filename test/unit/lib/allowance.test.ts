import { expect } from 'chai'
import { Allowance } from '../../../src/lib/allowance.ts'

describe('an allowance', () => {
  it('is spent, and grows again up to what it was', () => {
    let now = 0
    const allowance = new Allowance(3, 2, { now: () => now })
    const spent = (): number => {
      let count = 0
      while (allowance.spend()) count++
      return count
    }
    expect(spent()).to.equal(3)
    now += 499
    expect(spent()).to.equal(0)
    now += 501
    expect(spent()).to.equal(2)
    now += 60_000
    expect(spent()).to.equal(3)
  })
})
