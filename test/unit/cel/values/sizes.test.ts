import { expect } from 'chai'
import { heldSizeForCost, smallerSizeForCost } from '../../../../src/cel/values/sizes.ts'
import { CelOptional } from '../../../../src/cel/values/value.ts'
import { expectNoSquare } from '../../../support/processor-cost.ts'

describe('the smaller of two sizes', () => {
  const values = ['', 'a', 'ab', '😀', '😀😀a', 'abcd', '\ud800', 'é'.repeat(9), 1, new CelOptional('abc')]
  it('counts code points, like the sizes', () => {
    for (const a of values) for (const b of values) expect(smallerSizeForCost(a, b), `${a} ${b}`).to.equal(Math.min(heldSizeForCost(a), heldSizeForCost(b)))
  })

  it('takes time in proportion to the shorter text', () => {
    expectNoSquare(count => {
      const long = 'a'.repeat(count)
      return () => {
        for (let i = 0; i < count / 100; i++) smallerSizeForCost('short', long)
      }
    }, 50_000)
  })
})
