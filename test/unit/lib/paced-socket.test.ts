import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextPoll } from 'node:timers/promises'
import { expect } from 'chai'
import { type PaceOptions, paceReads } from '../../../src/lib/paced-socket.ts'
import { eventually } from '../../support/waiting.ts'

/** Turns that the test controls. */
class HeldTurns {
  spent = false
  readonly waiting: (() => void)[] = []
  isSpent = (): boolean => this.spent
  inNext = (callback: () => void): void => void this.waiting.push(callback)

  next(): void {
    for (const callback of this.waiting.splice(0)) callback()
  }
}

describe('a connection that is read at the pace of turns', () => {
  let server: Server
  let near: Socket
  let far: Socket
  const open = async (options: PaceOptions): Promise<void> => {
    near = connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [[accepted]] = await Promise.all([once(server, 'connection'), once(near, 'connect')])
    far = accepted
    paceReads(near, options)
    paceReads(near, options)
  }
  before(async () => {
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(() => {
    near.destroy()
    far.destroy()
  })
  after(() => server.close())

  it('passes on every byte in order and then the end, in pieces of a bounded size', async () => {
    await open({ pieceBytes: 1000 })
    const sent = randomBytes(500_000)
    const pieces: Buffer[] = []
    near.on('data', piece => pieces.push(piece))
    far.end(sent)
    await once(near, 'end')
    expect(Buffer.concat(pieces).equals(sent)).to.equal(true)
    expect(Math.max(...pieces.map(({ length }) => length))).to.be.at.most(1000)
  })

  it('waits for the next turn when the turn is spent', async () => {
    const turns = new HeldTurns()
    await open({ pieceBytes: 10, turns })
    const pieces: string[] = []
    near.on('data', piece => {
      pieces.push(piece.toString())
      turns.spent = true
    })
    far.write('aaaaaaaaaabbbbbbbbbbcc')
    await eventually('what was sent is there', () => turns.waiting.length > 0)
    expect(pieces).to.deep.equal(['aaaaaaaaaa'])
    turns.spent = false
    turns.next()
    expect(pieces).to.deep.equal(['aaaaaaaaaa', 'bbbbbbbbbb'])
    turns.spent = false
    turns.next()
    expect(pieces).to.deep.equal(['aaaaaaaaaa', 'bbbbbbbbbb', 'cc'])
    turns.spent = false
    far.write('dd')
    await eventually('what was sent is there', () => pieces.length === 4)
  })

  it('passes on the end after the bytes that wait', async () => {
    const turns = new HeldTurns()
    turns.spent = true
    await open({ turns })
    const seen: string[] = []
    near.on('data', piece => seen.push(piece.toString())).on('end', () => seen.push('end'))
    far.end('last')
    await eventually('what was sent is there', () => turns.waiting.length > 0)
    for (let i = 0; i < 10; i++) await nextPoll()
    expect(seen).to.deep.equal([])
    turns.spent = false
    turns.next()
    await eventually('what was sent is there', () => seen.length === 2)
    expect(seen).to.deep.equal(['last', 'end'])
  })

  it('keeps one piece in a paused stream, and continues when it is resumed', async () => {
    await open({ pieceBytes: 10 })
    near.pause()
    const sent = Buffer.alloc(100_000, 'x')
    far.end(sent)
    await eventually('what was sent is there', () => near.readableLength > 0)
    for (let i = 0; i < 10; i++) await nextPoll()
    expect(near.readableLength).to.equal(10)
    let received = 0
    near.on('data', piece => {
      received += piece.length
      // Paused and resumed repeatedly, as by a parser with a slow reader.
      near.pause()
      setImmediate(() => near.resume())
    })
    near.resume()
    await once(near, 'end')
    expect(received).to.equal(sent.length)
  })

  it('serves a reader that asks for bytes', async () => {
    await open({ pieceBytes: 10 })
    far.end(Buffer.alloc(1_000_000, 'x'))
    let received = 0
    for await (const piece of near) received += (piece as Buffer).length
    expect(received).to.equal(1_000_000)
  })

  it('does not read the connection while it waits', async () => {
    const turns = new HeldTurns()
    turns.spent = true
    await open({ turns })
    near.resume()
    far.write(Buffer.alloc(64 << 20))
    await eventually('what was sent is there', () => turns.waiting.length > 0)
    for (let i = 0; i < 10; i++) await nextPoll()
    expect(near.bytesRead).to.be.at.most(1 << 20)
  })
})
