import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import type { Steps } from '../../../../src/lib/steps.ts'
import { FrameType, frameOf } from '../../../../src/protocols/http2/frames.ts'
import { Intake } from '../../../../src/protocols/http2/intake.ts'
import { TurnBudget } from '../../../../src/protocols/http2/turn-budget.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const WORK_MS = 0.5

const port = new TurnBudget()

const work = (): void => {
  for (const until = performance.now() + WORK_MS; performance.now() < until; );
}

/** A connection whose frames are requests that take half a millisecond each. */
function connection(name: string, log: string[]): { intake: Intake; socket: { paused: number; resumed: number; destroyed: boolean } } {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    paused: 0,
    resumed: 0,
    pause: () => void socket.paused++,
    resume: () => void socket.resumed++,
  })
  const intake: Intake = new Intake(
    socket as unknown as Socket,
    ({ stream }) => {
      log.push(`${name}${stream}`)
      work()
      intake.began()
    },
    read => read(),
    port,
  )
  return { intake, socket }
}

function* fail(): Steps<void> {
  yield
  throw new Error('no header block')
}

const requests = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, n) => frameOf(FrameType.headers, 5, n, Buffer.alloc(10))))

describe('the frames that a connection reads', () => {
  it('wait for the next turn after their share, in order', async () => {
    const log: string[] = []
    const { intake, socket } = connection('a', log)
    intake.read(requests(40))
    expect(log.length).to.be.within(2, 20)
    await eventually('all are read', () => log.length >= 40)
    await turns()
    expect(log).to.deep.equal(Array.from({ length: 40 }, (_, n) => `a${n}`))
    expect([socket.paused > 0, socket.resumed]).to.deep.equal([true, 1])
  })

  it('are processed fairly: a connection with many requests does not delay one with few', async () => {
    const log: string[] = []
    const many = Array.from({ length: 8 }, (_, n) => connection(String.fromCharCode(97 + n), log))
    for (const { intake } of many) intake.read(requests(100))
    const other = connection('z', log)
    other.intake.read(requests(1))
    await eventually('all are read', () => log.length === 801)
    expect(log.indexOf('z0')).to.be.below(150)
  })

  it('are limited to few slow requests in a deferred turn as well', async () => {
    const log: string[] = []
    let turn = 0
    let isOver = false
    const count = (): void => {
      turn++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const { intake } = connection('a', log)
    intake.read(requests(60))
    await eventually('all are read', () => log.length >= 60)
    isOver = true
    // 0.5 ms each: five exceed the 2 ms of a turn.
    expect(turn).to.be.at.least(12)
  })

  it('wait for the next turn after many frames that are not requests', async () => {
    let read = 0
    const socket = Object.assign(new EventEmitter(), { destroyed: false, pause: () => {}, resume: () => {} }) as unknown as Socket
    const pings: Intake = new Intake(
      socket,
      () => {
        if (read++ % 10 === 0) work()
      },
      each => each(),
      port,
    )
    pings.read(Buffer.concat(Array.from({ length: 1000 }, () => frameOf(FrameType.ping, 0, 0, Buffer.alloc(8)))))
    expect(read).to.be.within(64, 128)
    await eventually('all are read', () => read === 1000)
  })

  it('are dropped with the connection', async () => {
    const log: string[] = []
    const { intake, socket } = connection('a', log)
    intake.read(requests(40))
    socket.destroyed = true
    const read = log.length
    await turns()
    expect(log.length).to.equal(read)
  })

  it('are decoded in slices if they are long, one connection after another', async () => {
    const log: string[] = []
    let turn = 0
    const count = (): void => {
      turn++
      if (log.length < 41) setImmediate(count)
    }
    setImmediate(count)
    const long = (name: string): Intake => {
      const socket = Object.assign(new EventEmitter(), { destroyed: false, pause: () => {}, resume: () => {} }) as unknown as Socket
      const act = function* (stream: number): Steps<void> {
        log.push(`${name}${stream} ${turn}`)
        const begun = turn
        // More than a slice.
        for (let i = 0; i < 6; i++) {
          work()
          yield
        }
        expect(turn - begun).to.be.at.least(1)
        intake.began()
      }
      const intake: Intake = new Intake(
        socket,
        ({ stream }) => intake.workInSteps(100_000, act(stream)),
        read => read(),
        port,
      )
      return intake
    }
    const many = Array.from({ length: 20 }, (_, n) => long(String.fromCharCode(97 + n)))
    for (const intake of many) intake.read(requests(2))
    expect(many.every(intake => intake.heldBytes > 0)).to.equal(true)
    const other = connection('z', log)
    other.intake.read(requests(1))
    await eventually('all are read', () => log.length >= 41)
    expect(log.indexOf('z0')).to.be.below(4)
    const turns = log.filter(text => text !== 'z0').map(text => Number(text.split(' ')[1]))
    expect(new Set(turns).size).to.be.at.least(39)
    for (const [n] of many.entries()) {
      const name = String.fromCharCode(97 + n)
      const mine = log.filter(text => text.startsWith(name)).map(text => text.split(' ')[0])
      expect(mine).to.deep.equal([`${name}0`, `${name}1`])
    }
    await eventually('nothing is held', () => many.every(intake => intake.heldBytes === 0))
  })

  it('do not delay other connections if a long block is invalid', async () => {
    const log: string[] = []
    const { intake } = connection('a', log)
    const failing: Intake = new Intake(
      Object.assign(new EventEmitter(), { destroyed: false, pause: () => {}, resume: () => {} }) as unknown as Socket,
      () => failing.workInSteps(100_000, fail()),
      read => {
        try {
          read()
        } catch {
          log.push('failed')
        }
      },
      port,
    )
    failing.read(requests(3))
    intake.read(requests(1))
    await eventually('the block has failed', () => log.includes('failed'))
    await turns()
    expect(log).to.have.members(['a0', 'failed'])
    expect(failing.heldBytes).to.equal(0)
  })
})
