import { expect } from 'chai'
import { DroppedRequests } from '../../../src/flow/dropped-requests.ts'

describe('DroppedRequests', () => {
  it('doubles Retry-After while many requests are dropped, and decrements it while few are', () => {
    let now = 0
    const dropped = new DroppedRequests(() => now)
    const STEPS: [second: number, requests: number, retryAfter: number][] = [
      [0, 5, 1],
      [1, 11, 2],
      [2, 1, 2],
      [3, 11, 4],
      [4, 1, 4],
      [7, 1, 8],
      [11, 1, 8],
      [15, 1, 7],
      [17, 1, 6],
      [21, 14, 5],
      [22, 1, 10],
    ]
    for (const [second, requests, retryAfter] of STEPS) {
      // A time like that of a wall clock: the first increase may come immediately.
      now = (1_000_000 + second) * 1000
      for (let i = 0; i < requests; i++) dropped.drop('level')
      expect(dropped.retryAfter('level'), `second ${second}`).to.equal(retryAfter)
    }
  })

  it('counts each level separately', () => {
    let now = 1e9
    const dropped = new DroppedRequests(() => now)
    for (let i = 0; i < 5; i++) dropped.drop('busy')
    dropped.drop('calm')
    now += 1000
    dropped.drop('busy')
    dropped.drop('calm')
    expect([dropped.retryAfter('busy'), dropped.retryAfter('calm'), dropped.retryAfter('unknown')]).to.deep.equal([2, 1, 1])
    dropped.keep(name => name !== 'busy')
    expect(dropped.retryAfter('busy')).to.equal(1)
  })
})
