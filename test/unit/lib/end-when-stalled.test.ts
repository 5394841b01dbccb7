import { Duplex } from 'node:stream'
import { expect } from 'chai'
import { endWhenStalled } from '../../../src/lib/end-when-stalled.ts'
import { HeldTime } from '../../support/held-time.ts'
import { turns } from '../../support/waiting.ts'

/** A connection whose peer reads when `read` is called. */
class Slow extends Duplex {
  bytesWritten = 0
  #waiting: (() => void)[] = []
  override _read(): void {}
  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    this.#waiting.push(done)
  }
  override write(chunk: Buffer): boolean {
    this.bytesWritten += chunk.length
    return super.write(chunk)
  }
  read1(): void {
    this.#waiting.shift()?.()
  }
}

describe('a connection whose peer does not read', () => {
  let time: HeldTime
  beforeEach(() => {
    time = HeldTime.hold()
  })
  afterEach(() => time.release())
  const closed = (socket: Duplex): Promise<string> => new Promise(resolve => socket.once('error', error => resolve(error.message)))

  it('is destroyed if its pending bytes have not moved for too long', async () => {
    const socket = new Slow()
    const why = closed(socket)
    endWhenStalled(socket, 20, 5)
    socket.write(Buffer.alloc(10))
    time.pass(25)
    expect(socket.destroyed).to.equal(false)
    time.pass(5)
    expect(await why).to.equal('the peer does not read')
  })

  it('stays open while nothing is pending, or the peer reads now and then', async () => {
    const socket = new Slow()
    endWhenStalled(socket, 20, 5)
    time.pass(100)
    for (let i = 0; i < 5; i++) socket.write(Buffer.alloc(10))
    for (let i = 0; i < 5; i++) {
      time.pass(20)
      socket.read1()
      await turns(1)
    }
    expect(socket.destroyed).to.equal(false)
    socket.destroy()
  })
})
