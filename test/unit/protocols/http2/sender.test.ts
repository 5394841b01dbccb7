import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { FrameType, numbersFrame } from '../../../../src/protocols/http2/frames.ts'
import { MAX_UNREAD_BYTES } from '../../../../src/protocols/http2/limits.ts'
import { Sender, slabPool } from '../../../../src/protocols/http2/sender.ts'

/** A socket whose peer reads on command. */
class SlowSocket extends EventEmitter {
  destroyed = false
  written = 0
  #done: (() => void)[] = []

  write(bytes: Buffer, done: () => void): boolean {
    this.written += bytes.length
    this.#done.push(done)
    return false
  }

  end(): void {}

  peerReads(): void {
    for (const done of this.#done.splice(0)) done()
  }
}

describe('the unsent frames of a connection', () => {
  const reset = numbersFrame(FrameType.reset, 1, 8)

  async function flooded(reads: boolean): Promise<{ sender: Sender; overflows: number; most: number }> {
    const socket = new SlowSocket()
    let overflows = 0
    let most = 0
    const sender: Sender = new Sender(socket as unknown as TLSSocket, slabPool(), () => {
      overflows++
      sender.stop()
    })
    for (let n = 0; n < 200_000; n++) {
      sender.send(reset)
      most = Math.max(most, sender.waitingBytes)
      if (n % 1000 !== 0) continue
      await turn()
      if (reads) socket.peerReads()
    }
    return { sender, overflows, most }
  }

  it('are limited if the peer does not read, whatever their types', async () => {
    const { sender, overflows, most } = await flooded(false)
    expect(overflows).to.equal(1)
    expect(most).to.be.within(MAX_UNREAD_BYTES, MAX_UNREAD_BYTES + 100_000)
    expect(sender.waitingBytes, 'after the end').to.be.below(100_000)
  })

  it('are not limited while the peer reads', async () => {
    const { overflows } = await flooded(true)
    expect(overflows).to.equal(0)
  })

  it('may exceed a write by one frame', async () => {
    const socket = new SlowSocket()
    const sender = new Sender(socket as unknown as TLSSocket, slabPool(), () => {})
    sender.send(Buffer.alloc(900_000))
    for (let n = 0; n < 6; n++) {
      await turn()
      socket.peerReads()
    }
    expect([socket.written, sender.waitingBytes, sender.isWriting]).to.deep.equal([900_000, 0, false])
  })
})
