import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { SharedBytes } from '../../../../src/lib/shared-bytes.ts'
import { GzipStream } from '../../../../src/server/http/gzip-stream.ts'
import { responseBuffers } from '../../../../src/server/http/response-buffers.ts'
import { FakeStream } from '../../../support/exchange.ts'

const bytes = (text: string): SharedBytes => new SharedBytes([Buffer.from(text)])
const streams = () => {
  const inner = new FakeStream()
  return { inner, stream: new GzipStream(inner, responseBuffers()) }
}
/** The content of each write, which is a gzip member of its own. */
const contents = (inner: FakeStream): string[] => inner.writes.map(pieces => gunzipSync(Buffer.concat(pieces)).toString())

describe('a compressed stream', () => {
  it('writes each write as a gzip member of its own', () => {
    const { inner, stream } = streams()
    expect(stream.write(bytes('{"a":1}\n'))).to.equal(true)
    expect(stream.write(bytes('{"b":2}\n'))).to.equal(true)
    expect(contents(inner)).to.deep.equal(['{"a":1}\n', '{"b":2}\n'])
  })

  it('flushes the text of a member before its final block, so that the client can read it before the next member begins', async () => {
    const { inner, stream } = streams()
    stream.write(bytes('{"a":1}\n'))
    stream.writeFilled(memory => memory.write('filled'))
    stream.write(bytes('x'.repeat(1 << 20)))
    await stream.drained()
    const ends = inner.writes.map(pieces => Buffer.concat(pieces).subarray(-14, -8).toString('hex'))
    // An empty stored block, and an empty final one.
    expect(ends).to.deep.equal(Array(3).fill('0000ffff0300'))
  })

  it('writes nothing for nothing', () => {
    const { inner, stream } = streams()
    expect(stream.write(bytes(''))).to.equal(true)
    expect(stream.writeFilled(() => 0)).to.equal(true)
    expect(inner.writes).to.deep.equal([])
  })

  it('compresses bytes that many streams send once', () => {
    const one = streams()
    const other = streams()
    const shared = bytes('{"a":1}\n')
    one.stream.write(shared)
    other.stream.write(shared)
    expect(other.inner.writes[0]?.[0]).to.equal(one.inner.writes[0]?.[0])
  })

  it('compresses long bytes that many streams send at the same time once', async () => {
    const many = [streams(), streams(), streams()]
    const shared = bytes('x'.repeat(1 << 20))
    for (const { stream } of many) stream.write(shared)
    await Promise.all(many.map(({ stream }) => stream.drained()))
    expect(new Set(many.map(({ inner }) => inner.writes[0]?.[0])).size).to.equal(1)
  })

  it('ends if bytes cannot be compressed', async () => {
    const { inner, stream } = streams()
    const unreadable = bytes('x'.repeat(1 << 20))
    Object.defineProperty(unreadable, 'joined', {
      get: () => {
        throw new Error('out of memory')
      },
    })
    stream.write(unreadable)
    stream.write(bytes('more'))
    await stream.drained()
    expect([inner.open, stream.open, stream.write(bytes('x'))]).to.deep.equal([false, false, false])
  })

  it('compresses what is filled into its memory', () => {
    const { inner, stream } = streams()
    expect(stream.writeFilled(memory => memory.write('filled'))).to.equal(true)
    expect(contents(inner)).to.deep.equal(['filled'])
  })

  it('compresses long writes on another thread, and keeps the order', async () => {
    const { inner, stream } = streams()
    const long = 'x'.repeat(1 << 20)
    expect(stream.write(bytes(long))).to.equal(true)
    expect(stream.write(bytes('second'))).to.equal(true)
    expect(stream.writeFilled(memory => memory.write('third'))).to.equal(true)
    expect([inner.writes.length, stream.unwritten]).to.deep.equal([0, long.length + 'second'.length])
    stream.end()
    expect([stream.open, inner.open]).to.deep.equal([false, true])
    await stream.drained()
    expect(contents(inner)).to.deep.equal([long, 'second', 'third'])
    expect([inner.open, stream.unwritten]).to.deep.equal([false, 0])
  })

  it('ends with its client', () => {
    const { inner, stream } = streams()
    inner.open = false
    expect([stream.open, stream.write(bytes('a')), stream.writeFilled(() => 1)]).to.deep.equal([false, false, false])
  })
})
