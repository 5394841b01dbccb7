import { expect } from 'chai'
import { FailureBackoff } from '../../../../../src/cluster/controllers/daemonset/failure-backoff.ts'

describe('back-off of failed daemon pods', () => {
  it('doubles from a second up to 15 minutes', () => {
    const backoff = new FailureBackoff()
    const delays: number[] = []
    for (let now = 0, i = 0; i < 13; i++) {
      const left = backoff.left('k', now)
      delays.push(left / 1000)
      now += left
      backoff.next('k', now)
    }
    expect(delays).to.deep.equal([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
  })

  it('counts the time that has passed, and keys apart', () => {
    const backoff = new FailureBackoff()
    backoff.next('k', 0)
    expect(backoff.left('k', 400)).to.equal(600)
    expect(backoff.left('other', 400)).to.equal(0)
  })

  it('forgets failures after half an hour', () => {
    const backoff = new FailureBackoff()
    for (let i = 0; i < 5; i++) backoff.next('k', 0)
    const later = 30 * 60_000 + 1
    expect(backoff.left('k', later)).to.equal(0)
    backoff.next('k', later)
    expect(backoff.left('k', later)).to.equal(1000)
  })
})
