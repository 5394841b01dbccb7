import { expect } from 'chai'
import { doubled } from '../../../src/lib/buckets.ts'

describe('doubled', () => {
  it('has so many bounds, each twice the one before', () => expect(doubled(0.001, 4)).to.deep.equal([0.001, 0.002, 0.004, 0.008]))
})
