import { expect } from 'chai'
import { growthWithKinds, growthWithWatches } from '../../../src/process/heap-bounds.ts'

describe('heap bounds', () => {
  it('are lower, the more watches follow the same objects', () => {
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

  it('are there with many custom kinds', () => {
    expect(growthWithKinds(49)).to.equal(undefined)
    expect(growthWithKinds(50)).to.equal(30)
  })
})
