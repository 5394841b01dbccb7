import { Duplex } from 'node:stream'
import { expect } from 'chai'
import { type Ending, ignoreReceived } from '../../../../src/protocols/websocket/receive.ts'

const MASK = [1, 2, 3, 4] as const

/** A client's frame. */
function sent(opcode: number, payload: string, { mask = true, length }: { mask?: boolean; length?: number } = {}): Buffer {
  const bytes = Buffer.from(payload)
  if (mask) for (let i = 0; i < bytes.length; i++) bytes[i] = (bytes[i] as number) ^ (MASK[i & 3] as number)
  const size = length ?? bytes.length
  const head =
    size < 126
      ? [size]
      : size < 65_536
        ? [126, size >> 8, size & 255]
        : [127, 0, 0, 0, 0, size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255]
  return Buffer.from([0x80 | opcode, ...head.map((byte, i) => (i === 0 && mask ? byte | 0x80 : byte)), ...(mask ? MASK : []), ...bytes])
}

/** Returns the responses to received bytes, and the end. `parts` are the sizes in which they arrive. */
function receive(bytes: Buffer, head = 0, parts = bytes.length): { answers: string; endings: Ending[] } {
  const answers: Buffer[] = []
  const endings: Ending[] = []
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      answers.push(chunk)
      done()
    },
  })
  ignoreReceived(socket, bytes.subarray(0, head), why => endings.push(why))
  for (let from = head; from < bytes.length; from += parts) socket.emit('data', bytes.subarray(from, Math.min(bytes.length, from + parts)))
  return { answers: Buffer.concat(answers).toString('latin1'), endings }
}

describe('frames from the client of a WebSocket', () => {
  const cases: [name: string, frames: Buffer[], answers: string, endings: Ending[]][] = [
    ['text and bytes are passed over', [sent(1, 'text'), sent(2, 'x'.repeat(70_000)), sent(2, 'y'.repeat(200))], '', []],
    ['pings are returned with their payload', [sent(9, 'hello'), sent(1, 'between'), sent(9, '')], '\x8a\x05hello\x8a\x00', []],
    ['pongs are nothing', [sent(10, 'hi')], '', []],
    ['a close ends it, once, and nothing is read after', [sent(8, '\x03\xe8'), sent(9, 'late'), sent(8, '')], '', ['closed']],
    ['a frame without a mask is a violation', [sent(1, 'text', { mask: false }), sent(9, 'late')], '', ['violation']],
    ['a long ping is a violation', [sent(9, 'x'.repeat(126))], '', ['violation']],
    ['a frame above a mebibyte is a violation', [sent(2, '', { length: (1 << 20) + 1 })], '', ['violation']],
  ]
  for (const [name, frames, answers, endings] of cases)
    it(name, () => {
      const bytes = Buffer.concat(frames)
      expect(receive(bytes), 'at once').to.deep.equal({ answers, endings })
      expect(receive(bytes, bytes.length), 'behind the handshake').to.deep.equal({ answers, endings })
      for (const parts of [1, 3, 1000])
        expect(receive(bytes, Math.min(2, bytes.length), parts), `in parts of ${parts}`).to.deep.equal({ answers, endings })
    })

  it('reports a client that disconnects', () => {
    const endings: Ending[] = []
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
    ignoreReceived(socket, Buffer.alloc(0), why => endings.push(why))
    socket.emit('end')
    socket.emit('close')
    expect(endings).to.deep.equal(['gone'])
  })
})
