import { expect } from 'chai'
import { heldSizeForCost, smallerSizeForCost } from '../../../../src/cel/values/sizes.ts'
import { CelOptional } from '../../../../src/cel/values/value.ts'

describe('the smaller of two sizes', () => {
  const values = [
    '',
    'a',
    'ab',
    '😀',
    '😀😀a',
    'abcd',
    '\ud800',
    'é'.repeat(9),
    'é😀'.repeat(1000),
    'é'.repeat(2000),
    1,
    new CelOptional('abc'),
  ]
  it('counts code points, like the sizes', () => {
    for (const a of values)
      for (const b of values) expect(smallerSizeForCost(a, b), `${a} ${b}`).to.equal(Math.min(heldSizeForCost(a), heldSizeForCost(b)))
  })
})
