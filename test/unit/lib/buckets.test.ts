import { expect } from 'chai'
import { doubled } from '../../../src/lib/buckets.ts'

describe('doubled', () => {
  it('returns the given number of bounds, each twice the previous one', () =>
    expect(doubled(0.001, 4)).to.deep.equal([0.001, 0.002, 0.004, 0.008]))
})
