import { expect } from 'chai'
import { growthWithKinds, growthWithWatches } from '../../../src/process/heap-bounds.ts'

describe('heap bounds', () => {
  it('decrease with the number of watches of the same objects', () => {
    for (const [watches, growth] of [
      [0, undefined],
      [199, undefined],
      [200, 60],
      [799, 60],
      [800, 30],
      [10_000, 30],
    ] as const)
      expect(growthWithWatches(watches), String(watches)).to.equal(growth)
  })

  it('exist with many custom kinds only', () => {
    expect(growthWithKinds(49)).to.equal(undefined)
    expect(growthWithKinds(50)).to.equal(30)
  })
})
