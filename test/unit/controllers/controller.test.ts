import { expect } from 'chai'
import { WorkQueue } from '../../../src/controllers/controller.ts'
import { pause } from '../../../src/lib/pause.ts'

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
