import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { exponentialDelay, ItemRateLimiter } from '../../../../src/cluster/shared/rate-limiter.ts'
import { KeyQueue, type KeyQueueOptions } from '../../../../src/cluster/shared/work-queue.ts'
import { WorkQueues } from '../../../../src/controllers/work-queues.ts'
import { MovedClock } from '../../../../src/testing/moved-clock.ts'

const turns = async (count = 5): Promise<void> => {
  for (let i = 0; i < count; i++) await nextTurn()
}

/** A queue whose clock stands still, and the keys that it has processed. */
function open(options: Partial<KeyQueueOptions> = {}) {
  const clock = new MovedClock({ at: 0, runs: false })
  const done: string[] = []
  const ended = new AbortController()
  const queue = new KeyQueue({
    workers: 2,
    work: async key => void done.push(key),
    onError() {},
    clock,
    meter: new WorkQueues(clock).meter('test'),
    signal: ended.signal,
    ...options,
  })
  return { queue, clock, done, ended, advance: (ms: number) => clock.advance(ms, () => turns()) }
}

describe('work queue', () => {
  it('processes a key once that is added several times in a turn', async () => {
    const { queue, done } = open()
    for (const key of ['a', 'b', 'a']) queue.add(key)
    await turns()
    expect(done).to.deep.equal(['a', 'b'])
  })

  it('processes a key again that is added while it is processed, and never twice at once', async () => {
    let active = 0
    let most = 0
    let runs = 0
    const { queue } = open({
      async work() {
        most = Math.max(most, ++active)
        if (++runs === 1) queue.add('a')
        await turns(3)
        active--
      },
    })
    queue.add('a')
    await turns(20)
    expect([runs, most]).to.deep.equal([2, 1])
  })

  it('retries a failing key after 5, 10, 20 ms, and forgets its failures after a success', async () => {
    const times: number[] = []
    const { queue, clock, advance } = open({
      async work() {
        times.push(clock.now())
        if (times.length < 4) throw new Error('no')
      },
    })
    queue.add('a')
    await turns()
    await advance(100)
    expect(times).to.deep.equal([0, 5, 15, 35])
    expect(queue.retries('a')).to.equal(0)
  })

  it('drops a key after its retries', async () => {
    const errors: boolean[] = []
    const { queue, advance } = open({
      maxRetries: 2,
      work: () => Promise.reject(new Error('no')),
      onError: (_key, _error, isDropped) => void errors.push(isDropped),
    })
    queue.add('a')
    await turns()
    await advance(1000)
    expect(errors).to.deep.equal([false, false, true])
  })

  it('adds a delayed key at the earliest of its times', async () => {
    const { queue, done, advance } = open()
    queue.addAfter('a', 5000)
    queue.addAfter('a', 1000)
    queue.addAfter('a', 3000)
    await advance(999)
    expect(done).to.deep.equal([])
    await advance(1)
    expect(done).to.deep.equal(['a'])
    await advance(10_000)
    expect(done).to.deep.equal(['a'])
  })

  it('retries a failing key on the clock of its meter, also if it is delayed on a stopped clock', async () => {
    const pauses = new MovedClock({ at: 0, runs: false })
    let runs = 0
    const { queue, advance } = open({
      meter: new WorkQueues(pauses).meter('test'),
      async work(key) {
        if (++runs > 2) return
        queue.addAfter(key, 1)
        throw new Error('no')
      },
    })
    queue.add('a')
    await turns()
    await pauses.advance(5, () => turns())
    expect(runs).to.equal(2)
    queue.addAfter('a', 100)
    await pauses.advance(10, () => turns())
    expect(runs).to.equal(3)
    await advance(1000)
    expect(runs).to.equal(3)
  })

  it('adds a key after a pause on either clock, and once for several pauses', async () => {
    const pauses = new MovedClock({ at: 0, runs: false })
    const { queue, done, advance } = open({ meter: new WorkQueues(pauses).meter('test') })
    queue.addAfterPause('a', 100)
    queue.addAfterPause('a', 200)
    queue.addAfterPause('b', 0)
    await turns()
    expect(done).to.deep.equal(['b'])
    await pauses.advance(99, () => turns())
    expect(done).to.deep.equal(['b'])
    await pauses.advance(1, () => turns())
    expect(done).to.deep.equal(['b', 'a'])
    await advance(1000)
    expect(done).to.deep.equal(['b', 'a'])
    queue.addAfterPause('c', 100)
    await advance(100)
    expect(done).to.deep.equal(['b', 'a', 'c'])
  })

  it('does nothing after its end', async () => {
    const { queue, done, ended, advance } = open()
    queue.addAfter('a', 1000)
    ended.abort()
    queue.add('b')
    await advance(2000)
    expect(done).to.deep.equal([])
  })

  it('waits for the owner of its meter if that holds the queues', async () => {
    const clock = new MovedClock({ at: 0, runs: false })
    const queues = new WorkQueues(clock)
    queues.hold()
    const { queue, done } = open({ meter: queues.meter('test') })
    queue.add('b')
    queue.add('a')
    await turns()
    expect(done).to.deep.equal([])
    expect(queues.workOnNext()).to.equal(true)
    await turns()
    expect(done).to.deep.equal(['a'])
  })
})

describe('rate limiter', () => {
  it('doubles the delay of an item up to 1000 s', () => {
    expect([0, 1, 2, 10, 17, 18, 1000].map(exponentialDelay)).to.deep.equal([5, 10, 20, 5120, 655_360, 1_000_000, 1_000_000])
  })

  it('lets 100 retries pass at once, and then 10 a second', () => {
    const limiter = new ItemRateLimiter({ now: () => 0 })
    const delays = Array.from({ length: 103 }, (_, i) => limiter.delay(`item ${i}`))
    expect(delays.slice(0, 100).every(delay => delay === 5)).to.equal(true)
    expect(delays.slice(100)).to.deep.equal([100, 200, 300])
  })
})
