import { expect } from 'chai'
import { type EventLoop, TurnScheduler } from '../../../src/lib/turn-scheduler.ts'

/** An event loop whose time and polls the test controls. */
class HeldLoop implements EventLoop {
  time = 0
  #waiting: (() => void)[] = []

  now = (): number => this.time
  afterPoll = (callback: () => void): void => void this.#waiting.push(callback)
  nextTick = (callback: () => void): void => queueMicrotask(callback)

  /** Ends a turn: calls the callbacks that wait for the poll, and runs their microtasks. */
  async turn(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    for (const callback of waiting) callback()
    await new Promise(setImmediate)
  }
}

describe('a turn scheduler', () => {
  it('considers a turn spent after 2 ms, and long after 4', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    expect(scheduler.isSpent()).to.equal(false)
    loop.time = 2
    expect(scheduler.isSpent()).to.equal(false)
    loop.time = 2.5
    expect([scheduler.isSpent(), scheduler.isLong()]).to.deep.equal([true, false])
    loop.time = 4.5
    expect(scheduler.isLong()).to.equal(true)
    await loop.turn()
    expect([scheduler.isSpent(), scheduler.isLong()]).to.deep.equal([false, false])
  })

  it('serves callbacks in order for 2 ms, and the rest in the next turn', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    const served: number[] = []
    for (const i of [1, 2, 3, 4, 5])
      scheduler.inNext(() => {
        served.push(i)
        loop.time += 1
      })
    await loop.turn()
    expect(served).to.deep.equal([1, 2, 3])
    await loop.turn()
    expect(served).to.deep.equal([1, 2, 3, 4, 5])
  })

  it('serves one long callback in each turn, however many short ones wait', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    const served: string[] = []
    const serve = (name: string) => (): void => {
      served.push(name)
      loop.time += 3
    }
    scheduler.inLong(serve('long'))
    scheduler.inNext(serve('a'))
    scheduler.inNext(serve('b'))
    await loop.turn()
    expect(served).to.deep.equal(['a', 'long'])
    await loop.turn()
    expect(served).to.deep.equal(['a', 'long', 'b'])
  })

  it('serves one background callback in each turn, after short and long ones', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    const served: string[] = []
    const serve = (name: string) => (): void => {
      served.push(name)
      loop.time += 1.5
    }
    for (const name of ['one', 'two', 'three', 'four']) scheduler.inBackground(serve(name))
    expect(scheduler.hasBackground).to.equal(true)
    scheduler.inLong(serve('long'))
    for (const name of ['a', 'b', 'c']) scheduler.inNext(serve(name))
    await loop.turn()
    expect(served.splice(0)).to.deep.equal(['a', 'b', 'long', 'c'])
    await loop.turn()
    expect(served.splice(0)).to.deep.equal(['one', 'two'])
    scheduler.inNext(serve('d'))
    scheduler.inNext(serve('e'))
    await loop.turn()
    expect(served.splice(0)).to.deep.equal(['d', 'e', 'three', 'four'])
    expect(scheduler.hasBackground).to.equal(false)
  })

  it('serves spare work when no background work waits, and once in four turns while some does', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    const served: string[] = []
    const serve = (name: string) => (): void => {
      served.push(name)
      loop.time += 1.5
    }
    const servedInTurns = async (turns: number): Promise<string> => {
      served.length = 0
      for (let i = 0; i < turns; i++) await loop.turn()
      return served.join(' ')
    }
    for (const name of ['a', 'b', 'c']) scheduler.inSpare(serve(name))
    for (let i = 0; i < 8; i++) scheduler.inBackground(serve(`${i}`))
    expect(await servedInTurns(3)).to.equal('0 1 2 3 4 5')
    expect(await servedInTurns(1)).to.equal('6 7 a')
    expect(await servedInTurns(1)).to.equal('b c')
    for (let i = 0; i < 8; i++) scheduler.inNext(serve(`${i}`))
    scheduler.inSpare(serve('d'))
    expect(await servedInTurns(3)).to.equal('0 1 2 3 4 5')
    expect(await servedInTurns(1)).to.equal('6 7 d')
  })

  it('gives background work as much time as other work took, up to 5 ms', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    let served = 0
    const servedAfterPoll = async (ms: number): Promise<number> => {
      served = 0
      loop.time += ms
      await loop.turn()
      return served
    }
    for (let i = 0; i < 100; i++)
      scheduler.inBackground(() => {
        served++
        loop.time += 0.5
      })
    expect(await servedAfterPoll(1)).to.equal(5)
    expect(await servedAfterPoll(3)).to.equal(7)
    // After other work that took long, background work is deferred once.
    expect(await servedAfterPoll(20)).to.equal(0)
    expect(await servedAfterPoll(20)).to.equal(11)
  })

  it('has a budget for long work even if short work has spent its own', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    const spent: boolean[] = []
    scheduler.inNext(() => {
      loop.time += 3
    })
    scheduler.inLong(() => {
      spent.push(scheduler.isSpent())
      loop.time += 2
      spent.push(scheduler.isSpent())
      loop.time += 1
      spent.push(scheduler.isSpent())
    })
    await loop.turn()
    expect(spent).to.deep.equal([false, false, true])
  })

  it('defers long work once if other work took long', async () => {
    const loop = new HeldLoop()
    const scheduler = new TurnScheduler(loop)
    const served: string[] = []
    const serve = (name: string, ms: number) => (): void => {
      served.push(name)
      loop.time += ms
    }
    const turnAfterPoll = async (ms: number): Promise<string> => {
      served.length = 0
      loop.time += ms
      await loop.turn()
      return served.join()
    }
    for (const name of ['a', 'b', 'c', 'd', 'e']) scheduler.inLong(serve(name, 30))
    expect(await turnAfterPoll(20)).to.equal('')
    expect(await turnAfterPoll(20)).to.equal('a')
    // The time of a long callback itself does not count.
    expect(await turnAfterPoll(1)).to.equal('b')
    expect(await turnAfterPoll(1)).to.equal('c')
    scheduler.inNext(serve('short', 20))
    expect(await turnAfterPoll(1)).to.equal('short')
    expect(await turnAfterPoll(20)).to.equal('d')
    expect(await turnAfterPoll(1)).to.equal('e')
  })

  it('has state of its own', () => {
    const loop = new HeldLoop()
    const [one, other] = [new TurnScheduler(loop), new TurnScheduler(loop)]
    one.isSpent()
    loop.time = 3
    expect([one.isSpent(), other.isSpent()]).to.deep.equal([true, false])
  })
})
