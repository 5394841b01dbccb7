import { expect } from 'chai'
import { WorkQueue } from '../../../src/controllers/controller.ts'
import { WorkQueues } from '../../../src/controllers/work-queues.ts'
import { pause } from '../../../src/lib/pause.ts'
import { SteppedClock } from '../../support/stepped-clock.ts'

describe('WorkQueue', () => {
  it('never processes a key twice at the same time, and reprocesses one that was added meanwhile', async () => {
    const end = new AbortController()
    const runs: string[] = []
    let active = 0
    let release = () => {}
    const queue = new WorkQueue(
      4,
      end.signal,
      async key => {
        active++
        expect(active).to.equal(1)
        runs.push(key)
        if (runs.length === 1)
          await new Promise<void>(resolve => {
            release = resolve
          })
        active--
      },
      () => {},
    )
    queue.add('a')
    queue.add('a')
    queue.add('a')
    expect(runs).to.deep.equal(['a'])
    release()
    await pause(5, end.signal)
    expect(runs).to.deep.equal(['a', 'a'])
    end.abort()
  })

  it('retries a failed key', async () => {
    const end = new AbortController()
    let runs = 0
    const errors: string[] = []
    const done = new Promise<void>(resolve => {
      const queue = new WorkQueue(
        1,
        end.signal,
        async () => {
          if (++runs === 1) throw new Error('not yet')
          resolve()
        },
        (key, error) => errors.push(`${key}: ${(error as Error).message}`),
      )
      queue.add('a')
    })
    await done
    expect(errors).to.deep.equal(['a: not yet'])
    end.abort()
  })

  it('plans one retry of a failed key, however often the key is added and fails meanwhile', async () => {
    const end = new AbortController()
    const clock = new SteppedClock()
    let isFailing = true
    let runs = 0
    const work = async (): Promise<void> => {
      runs++
      if (isFailing) throw new Error('down')
    }
    const queue = new WorkQueue(1, end.signal, work, () => {}, new WorkQueues(clock).meter('test'))
    for (let i = 0; i < 20; i++) {
      queue.add('a')
      await clock.advance(30_000)
    }
    expect(clock.timers).to.equal(1)
    isFailing = false
    runs = 0
    await clock.advance(60_000)
    expect({ runs, timers: clock.timers }).to.deep.equal({ runs: 1, timers: 0 })
    end.abort()
  })

  it('retries soon after the first failure that follows a success', async () => {
    const end = new AbortController()
    const clock = new SteppedClock()
    const results = [...Array.from({ length: 10 }, () => 'fails'), 'passes', 'fails', 'passes']
    const queue = new WorkQueue(
      1,
      end.signal,
      async () => {
        if (results.shift() === 'fails') throw new Error('down')
      },
      () => {},
      new WorkQueues(clock).meter('test'),
    )
    queue.add('a')
    while (results.length > 3) await clock.advance(1_000)
    queue.add('a')
    await clock.advance(0)
    queue.add('a')
    await clock.advance(200)
    expect(results).to.deep.equal([])
    end.abort()
  })

  it('processes no more keys at the same time than it has workers', async () => {
    const end = new AbortController()
    let active = 0
    let most = 0
    const queue = new WorkQueue(
      3,
      end.signal,
      async () => {
        most = Math.max(most, ++active)
        await pause(2, end.signal)
        active--
      },
      () => {},
    )
    for (let i = 0; i < 20; i++) queue.add(String(i))
    await pause(60, end.signal)
    expect(most).to.equal(3)
    end.abort()
  })
})
