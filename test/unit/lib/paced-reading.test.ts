import { Duplex } from 'node:stream'
import { expect } from 'chai'
import { type PacedReader, PacedReading } from '../../../src/lib/paced-reading.ts'
import { eventually } from '../../support/waiting.ts'

/** A reader that consumes one byte per turn. */
class Slow implements PacedReader {
  heard = ''
  turns = 0
  #waiting = ''
  get isBehind(): boolean {
    return this.#waiting !== ''
  }
  push(bytes: Buffer, all = false): void {
    this.turns++
    this.#waiting += bytes.toString()
    const taken = all ? this.#waiting.length : 1
    this.heard += this.#waiting.slice(0, taken)
    this.#waiting = this.#waiting.slice(taken)
  }
}

const source = (): Duplex => new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })

describe('reading a connection in turns', () => {
  it('continues in the next turn before it reads more', async () => {
    const socket = source()
    const reader = new Slow()
    new PacedReading(socket, reader).start(Buffer.from('abc'))
    expect([reader.heard, socket.isPaused()]).to.deep.equal(['a', true])
    socket.push('de')
    await eventually('all is read', () => reader.heard === 'abcde')
    expect(reader.turns).to.be.at.least(5)
    await eventually('it reads on', () => !socket.isPaused())
  })

  it('does not read while it is held', async () => {
    const socket = source()
    const reader = new Slow()
    const reading = new PacedReading(socket, reader)
    reading.start(Buffer.from('abc'))
    reading.hold()
    socket.push('de')
    await eventually('what came is read', () => reader.heard === 'abc')
    await new Promise(resolve => setImmediate(resolve))
    expect([reader.heard, socket.isPaused()]).to.deep.equal(['abc', true])
    reading.release()
    await eventually('and the rest', () => reader.heard === 'abcde')
  })

  it('reads the received bytes before it closes', () => {
    const socket = source()
    const reader = new Slow()
    new PacedReading(socket, reader).start(Buffer.from('abc'))
    socket.emit('close')
    expect(reader.heard).to.equal('abc')
  })
})
