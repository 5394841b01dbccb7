import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { inLongTurn, inNextTurn, nextLongTurn, nextTurn, turnIsSpent } from '../../../src/lib/turn.ts'
import { HeldTime } from '../../support/held-time.ts'
import { turns as letPass } from '../../support/waiting.ts'

const LONG_MS = 8

let time: HeldTime
const hold = (ms: number): void => time.pass(ms)

/** Counts turns of the event loop until it is stopped. */
function countTurns(): { readonly now: number; stop(): void } {
  const count = { now: 0, stop: () => clearImmediate(next) }
  const beat = (): void => {
    count.now++
    next = setImmediate(beat)
  }
  let next = setImmediate(beat)
  return count
}

describe('lib/turn', () => {
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())

  it('considers a turn spent after some milliseconds, and the next one fresh', async () => {
    await new Promise(setImmediate)
    expect(turnIsSpent()).to.equal(false)
    hold(LONG_MS)
    expect(turnIsSpent()).to.equal(true)
    await nextTurn()
    expect(turnIsSpent()).to.equal(false)
  })

  it('considers a turn not spent after the loop has been idle', async () => {
    turnIsSpent()
    await letPass(2)
    time.pass(3 * LONG_MS)
    expect(turnIsSpent()).to.equal(false)
  })

  it('runs the event loop between long pieces, and the microtasks of each before the next', async () => {
    const done: string[] = []
    const turns = countTurns()
    const began: number[] = []
    const piece = async (name: string): Promise<void> => {
      await nextTurn()
      began.push(turns.now)
      done.push(`${name}1`)
      await null
      await null
      hold(LONG_MS)
      done.push(`${name}2`)
    }
    await Promise.all(['a', 'b', 'c', 'd'].map(piece))
    turns.stop()
    expect(done).to.deep.equal(['a1', 'a2', 'b1', 'b2', 'c1', 'c2', 'd1', 'd2'])
    expect(new Set(began).size).to.equal(4)
  })

  it('serves short pieces in one turn', async () => {
    const turns = countTurns()
    const began: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await nextTurn()
        began.push(turns.now)
      }),
    )
    turns.stop()
    expect(began).to.have.length(20)
    expect(new Set(began).size).to.equal(1)
  })

  it('serves waiting callbacks even if every poll spends its turn', async () => {
    let served = false
    let polls = 0
    inNextTurn(() => {
      served = true
    })
    while (!served && polls < 10) {
      polls++
      await sleep(0)
      turnIsSpent()
      hold(LONG_MS)
    }
    expect(served).to.equal(true)
  })

  it('serves callbacks added during a turn in a later one', async () => {
    const order: number[] = []
    await new Promise<void>(resolve => {
      inNextTurn(() => {
        order.push(1)
        inNextTurn(() => {
          order.push(3)
          resolve()
        })
      })
      inNextTurn(() => order.push(2))
    })
    expect(order).to.deep.equal([1, 2, 3])
  })

  it('serves short work before the rest of long work, however much of that waits', async () => {
    const order: string[] = []
    const pieces = async (name: string): Promise<void> => {
      for (let i = 1; i <= 3; i++) {
        await nextLongTurn()
        order.push(`${name}${i}`)
        if (order.length === 1) inNextTurn(() => order.push('short'))
        hold(LONG_MS)
      }
    }
    await Promise.all(['a', 'b', 'c'].map(pieces))
    expect(order).to.deep.equal(['a1', 'short', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3'])
  })

  it('serves long work even if short work waits in every turn', async () => {
    let served = false
    let turns = 0
    inLongTurn(() => {
      served = true
    })
    while (!served && turns < 10) {
      turns++
      await nextTurn()
      hold(LONG_MS)
    }
    expect(served).to.equal(true)
  })
})
