import { expect } from 'chai'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { MessageBlocks, ResponseMessage } from '../../../../src/protocols/grpc/response-message.ts'

const LONGEST = 4 << 20

/** The message as DATA carries it. */
function framed(message: Buffer, length = message.length, compressed = 0): Buffer {
  const prefix = Buffer.from([compressed, 0, 0, 0, 0])
  prefix.writeUInt32BE(length, 1)
  return Buffer.concat([prefix, message])
}

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('ResponseMessage', () => {
  for (const length of [0, 1, 100, 20_000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, LONGEST])
    it(`assembles ${length} bytes from frames of any size`, () => {
      const sent = Buffer.alloc(length, 'some text ')
      const sizes = length > 100_000 ? [16_384, 1000, length + 5] : [1, 2, 3, 4, 5, 6, 1000, length + 5]
      for (const size of sizes) {
        const message = new ResponseMessage(LONGEST)
        for (const piece of pieces(framed(sent), size)) {
          if (message.isComplete || message.add(piece) !== undefined) expect.fail('it ends before its last piece')
        }
        expect(message.add(Buffer.alloc(0))).to.equal(undefined)
        expect(message.isComplete).to.equal(true)
        expect(runAtOnce(message.inSteps()).equals(sent)).to.equal(true)
      }
    })

  it('does not copy a message that comes in one frame', () => {
    const frame = framed(Buffer.from('hello'))
    const message = new ResponseMessage(LONGEST)
    message.add(frame)
    expect(runAtOnce(message.inSteps()).buffer).to.equal(frame.buffer)
  })

  it('copies a long message once, as its frames arrive', () => {
    const message = new ResponseMessage(LONGEST)
    for (const piece of pieces(framed(Buffer.alloc(LONGEST)), 16_384)) message.add(piece)
    const steps = message.inSteps()
    expect(steps.next()).to.include({ done: true })
  })

  it('is in the memory of an earlier message that was given back, and of no other', () => {
    const memory = new MessageBlocks()
    const received = (text: string, length: number): Buffer => {
      const message = new ResponseMessage(LONGEST, memory)
      for (const piece of pieces(framed(Buffer.alloc(length, text)), 16_384)) message.add(piece)
      return runAtOnce(message.inSteps())
    }
    const first = received('first ', 100_000)
    const second = received('second ', 100_000)
    expect(second.buffer).not.to.equal(first.buffer)
    memory.give(first)
    const third = received('third ', 99_000)
    expect(third.buffer).to.equal(first.buffer)
    expect(third.equals(Buffer.alloc(99_000, 'third '))).to.equal(true)
    expect(second.equals(Buffer.alloc(100_000, 'second '))).to.equal(true)
    // A block is given back once, and a message in other memory never.
    memory.give(second)
    memory.give(second)
    memory.give(Buffer.alloc(200_000))
    const [fourth, fifth] = [received('fourth ', 90_000), received('fifth ', 90_000)]
    expect([fourth.buffer === second.buffer, fifth.buffer === second.buffer]).to.deep.equal([true, false])
    expect([fourth, third, Buffer.alloc(90_000)].map(bytes => memory.isLent(bytes))).to.deep.equal([true, true, false])
    memory.give(third)
    expect(received('longer ', 300_000).buffer).not.to.equal(third.buffer)
    // Most of the block would be unused for as long as the message is kept.
    expect(received('shorter ', 50_000).buffer).not.to.equal(third.buffer)
    expect(received('last ', 95_000).buffer).to.equal(third.buffer)
  })

  it('has no more memory than it needs before any was given back', () => {
    const message = new ResponseMessage(LONGEST, new MessageBlocks())
    for (const piece of pieces(framed(Buffer.alloc(100_000)), 16_384)) message.add(piece)
    expect(runAtOnce(message.inSteps()).buffer.byteLength).to.equal(100_000)
  })

  const faults: [what: string, bytes: Buffer, code: number, details: string][] = [
    ['a message that is too long', framed(Buffer.alloc(0), LONGEST + 1), 8, 'grpc: received message larger than max (4194305 vs. 4194304)'],
    ['a compressed message', framed(Buffer.alloc(1), 1, 1), 13, 'the response is not a single message'],
    ['bytes behind the message', framed(Buffer.alloc(2), 1), 13, 'the response is not a single message'],
    ['bytes behind an empty message', framed(Buffer.alloc(1), 0), 13, 'the response is not a single message'],
  ]
  for (const [what, bytes, code, details] of faults)
    it(`rejects ${what} as early as possible`, () => {
      for (const size of [1, 5, bytes.length]) {
        const message = new ResponseMessage(LONGEST)
        const found = [...pieces(bytes, size)].map(piece => message.add(piece)).filter(failure => failure !== undefined)
        expect(found[0]).to.include({ code, details })
      }
    })
})
