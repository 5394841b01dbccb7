import { expect } from 'chai'
import { TokenBucket } from '../../../src/lib/token-bucket.ts'

describe('a token bucket', () => {
  it('is emptied, and refilled up to its capacity', () => {
    let now = 0
    const bucket = new TokenBucket(3, 2, { now: () => now })
    const taken = (): number => {
      let count = 0
      while (bucket.take()) count++
      return count
    }
    expect(taken()).to.equal(3)
    now += 499
    expect(taken()).to.equal(0)
    now += 501
    expect(taken()).to.equal(2)
    now += 60_000
    expect(taken()).to.equal(3)
  })
})
