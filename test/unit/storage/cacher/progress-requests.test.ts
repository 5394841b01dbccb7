import { expect } from 'chai'
import { ProgressRequests } from '../../../../src/storage/cacher/progress-requests.ts'
import { RevisionClock } from '../../../../src/storage/cacher/revision-clock.ts'
import { revision } from '../../../../src/storage/revision.ts'
import { never } from '../../../support/backend.ts'
import { eventually } from '../../../support/waiting.ts'

describe('storage/cacher/progress-requests', () => {
  const begin = () => {
    const time = new RevisionClock()
    const requests = new ProgressRequests(time)
    const wait = (at: number) => time.reach(revision(at), never, 60_000)
    return { time, requests, wait }
  }

  it('requests immediately when a reader waits, and again until the cache has the revision', async () => {
    const { time, requests, wait } = begin()
    requests.open(() => {})
    expect(requests.count).to.equal(0)
    const waiting = wait(5)
    expect(requests.count).to.equal(1)
    await eventually('more requests', () => requests.count > 2)
    time.advance(revision(5))
    await waiting
    const { count } = requests
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(requests.count).to.equal(count)
    requests.close()
  })

  it('requests nothing for a revision that the cache has', async () => {
    const { time, requests, wait } = begin()
    requests.open(() => {})
    time.advance(revision(5))
    await wait(5)
    expect(requests.count).to.equal(0)
  })

  it('sends one request for readers that start to wait together', async () => {
    const { time, requests, wait } = begin()
    requests.open(() => {})
    const waiting = Array.from({ length: 100 }, () => wait(5))
    expect(requests.count).to.equal(1)
    time.advance(revision(5))
    await Promise.all(waiting)
    requests.close()
  })

  it('requests for readers that waited before the watch was open, but not after it has ended', async () => {
    const { time, requests, wait } = begin()
    const waiting = wait(5)
    expect(requests.count).to.equal(0)
    requests.open(() => {})
    expect(requests.count).to.equal(1)
    requests.close()
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(requests.count).to.equal(1)
    time.advance(revision(5))
    await waiting
  })
})
