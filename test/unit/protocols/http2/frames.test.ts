import { expect } from 'chai'
import { FrameReader, FrameType, frameOf } from '../../../../src/protocols/http2/frames.ts'

describe('frame parsing', () => {
  const sent = [
    frameOf(FrameType.ping, 0, 0, Buffer.alloc(8, 1)),
    frameOf(FrameType.data, 1, 3, Buffer.from('hello')),
    frameOf(FrameType.settings, 1, 0, Buffer.alloc(0)),
  ]
  const all = Buffer.concat(sent)
  const shown = ['6 0 0 0101010101010101', '0 1 3 68656c6c6f', '4 1 0 ']

  function read(...chunks: Buffer[]): string[] {
    const got: string[] = []
    const reader = new FrameReader()
    for (const chunk of chunks)
      reader.read(chunk, ({ type, flags, stream, payload }) => got.push(`${type} ${flags} ${stream} ${payload.toString('hex')}`))
    return got
  }

  it('splits one piece into frames', () => expect(read(all)).to.eql(shown))
  it('joins two pieces, split anywhere', () => {
    for (let at = 0; at <= all.length; at++) expect(read(all.subarray(0, at), all.subarray(at))).to.eql(shown)
  })
  it('joins single bytes', () => expect(read(...Array.from(all, byte => Buffer.of(byte)))).to.eql(shown))
  it('rejects frames that are too long before their payload arrives', () => {
    expect(() => read(Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1])))
      .to.throw()
      .with.property('code', 6)
  })
})
