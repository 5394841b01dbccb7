import { expect } from 'chai'
import { all, after as continueWith, recover } from '../../../src/lib/awaitable.ts'
import { runStages, type Stages, stage } from '../../../src/lib/stages.ts'
import type { Steps } from '../../../src/lib/steps.ts'
import { turnIsLong } from '../../../src/lib/turn.ts'

describe('lib/stages', () => {
  function* doubled(n: number): Steps<number> {
    yield
    return 2 * n
  }

  it('return the results of values, promises and steps in order', async () => {
    const seen: number[] = []
    function* work(): Stages<string> {
      seen.push(yield* stage(1))
      seen.push(yield* stage(Promise.resolve(2)))
      seen.push(yield* doubled(2))
      return 'done'
    }
    expect(await runStages(work())).to.equal('done')
    expect(seen).to.deep.equal([1, 2, 4])
  })

  it('throw the reason of a rejection at the stage that rejects', async () => {
    const seen: string[] = []
    function* work(): Stages<string> {
      try {
        yield* stage(Promise.reject(new Error('lost')))
      } catch (error) {
        seen.push((error as Error).message)
      } finally {
        seen.push('ended')
      }
      return yield* stage(Promise.reject<string>(new Error('again')))
    }
    const failure = await runStages(work()).catch((error: Error) => error.message)
    expect(failure).to.equal('again')
    expect(seen).to.deep.equal(['lost', 'ended'])
  })

  it('let other work run after a long turn', async () => {
    const order: string[] = []
    function* work(): Stages<void> {
      turnIsLong()
      const until = performance.now() + 30
      while (performance.now() < until);
      setImmediate(() => order.push('other'))
      yield* stage(undefined)
      order.push('stages')
    }
    await runStages(work())
    expect(order).to.deep.equal(['other', 'stages'])
  })
})

describe('lib/awaitable', () => {
  it('continues synchronously with a value, and later with a promise', async () => {
    expect(continueWith(1, n => n + 1)).to.equal(2)
    expect(await continueWith(Promise.resolve(1), n => n + 1)).to.equal(2)
    expect(all([1, 2])).to.deep.equal([1, 2])
    expect(await all([1, Promise.resolve(2)])).to.deep.equal([1, 2])
  })

  it('replaces the value of a promise that rejects', async () => {
    expect(recover(1, () => 2)).to.equal(1)
    expect(await recover(Promise.reject<number>(new Error('lost')), () => 2)).to.equal(2)
  })
})
