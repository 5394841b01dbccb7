import { Socket } from 'node:net'
import { expect } from 'chai'
import { type HandshakeLoop, HandshakeTurns } from '../../../../src/server/tls/handshake-turns.ts'

/** A connection whose handle records whether it is being read. */
class Accepted extends Socket {
  sent = 0
  isRead = true
  readonly _handle = {
    readStart: () => {
      this.isRead = true
    },
    readStop: () => {
      this.isRead = false
    },
    close: (done: () => void) => void setImmediate(done),
  }

  constructor() {
    super()
    Object.defineProperty(this, 'bytesRead', { get: () => this.sent })
  }
}

/** An event loop that turns on demand. */
class StepLoop implements HandshakeLoop {
  time = 0
  pause: number | undefined
  #next: (() => void) | undefined

  now(): number {
    return this.time
  }

  afterPoll(callback: () => void): void {
    this.#next = callback
    this.pause = 0
  }

  after(milliseconds: number, callback: () => void): void {
    this.#next = callback
    this.pause = milliseconds
  }

  turn(milliseconds = 1): void {
    const next = this.#next
    this.#next = undefined
    this.pause = undefined
    this.time += milliseconds
    next?.()
  }
}

describe('HandshakeTurns', () => {
  let loop: StepLoop
  let turns: HandshakeTurns
  beforeEach(() => {
    loop = new StepLoop()
    turns = new HandshakeTurns(loop)
  })

  const accept = async (count: number): Promise<Accepted[]> => {
    const accepted = Array.from({ length: count }, () => new Accepted())
    for (const each of accepted) turns.add(each)
    await new Promise(process.nextTick)
    return accepted
  }
  const read = (all: readonly Accepted[]): number[] => all.flatMap((each, i) => (each.isRead ? [i] : []))

  it('does not interfere with a single handshake', async () => {
    for (let i = 0; i < 3; i++) {
      const [only] = await accept(1)
      expect(only?.isRead).to.equal(true)
      expect(loop.pause).to.equal(undefined)
      if (only) turns.end(only)
    }
  })

  it('reads one handshake in a turn, round-robin', async () => {
    const all = await accept(3)
    expect(read(all)).to.deep.equal([0])
    const order = Array.from({ length: 6 }, () => {
      for (const each of all) each.sent++
      loop.turn()
      return read(all)
    })
    expect(order).to.deep.equal([[1], [2], [0], [1], [2], [0]])
  })

  it('pauses for the duration of a long turn', async () => {
    const all = await accept(3)
    loop.turn()
    all[1]!.sent++
    loop.turn(90)
    expect(read(all)).to.deep.equal([])
    expect(loop.pause).to.equal(90)
    loop.turn(90)
    expect(read(all)).to.deep.equal([2])
  })

  it('pauses after a round in which no client sent anything, and continues', async () => {
    const all = await accept(3)
    const pauses = Array.from({ length: 8 }, () => {
      loop.turn(1)
      return loop.pause
    })
    expect(pauses).to.deep.equal([0, 0, 12, 0, 0, 12, 0, 0])
    const asked = read(all)
    all[asked[0]!]!.sent++
    loop.turn()
    expect(loop.pause).to.equal(0)
  })

  it('moves a connection that was silent for a second out of the line, and reads it every two seconds', async () => {
    const all = await accept(4)
    const turnsOf = (milliseconds: number): number[] => {
      const counts = all.map(() => 0)
      for (const end = loop.time + milliseconds; loop.time < end; ) {
        for (const i of read(all)) counts[i]!++
        all[3]!.sent++
        loop.turn(Math.max(1, loop.pause ?? 0))
      }
      return counts
    }
    expect(Math.min(...turnsOf(1010))).to.be.greaterThan(200)
    const [first = 0, second = 0, third = 0, talker = 0] = turnsOf(10_000)
    for (const silent of [first, second, third]) expect(silent).to.be.within(4, 6)
    expect(talker).to.be.greaterThan(9_900)
    all[0]!.sent++
    expect(turnsOf(3010)[0]).to.be.greaterThan(400)
  })

  it('polls silent connections, and reads the last one without turns', async () => {
    const all = await accept(3)
    const counts = [0, 0, 0]
    let steps = 0
    for (; loop.time < 20_000; steps++) {
      for (const i of read(all)) counts[i]!++
      loop.turn(Math.max(1, loop.pause ?? 0))
    }
    for (const count of counts) expect(count).to.be.greaterThan(8)
    // Pauses take at most 50 ms.
    expect(steps).to.be.lessThan(700)
    for (const each of all.slice(1)) turns.end(each)
    loop.turn(50)
    expect(read(all.slice(0, 1))).to.deep.equal([0])
    expect(loop.pause).to.equal(undefined)
  })

  it('forgets connections that are done or closed, and reads the last one without turns', async () => {
    const [first, second, third] = await accept(3)
    if (!first || !second || !third) throw new Error('three were accepted')
    turns.end(first)
    second.destroy()
    await new Promise(resolve => second.once('close', resolve))
    loop.turn()
    expect(third.isRead).to.equal(true)
    expect(loop.pause).to.equal(undefined)
    expect(first.isRead).to.equal(true)
  })
})
