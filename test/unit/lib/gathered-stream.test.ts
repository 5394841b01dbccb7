import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextPoll } from 'node:timers/promises'
import { expect } from 'chai'
import { gatheredStream } from '../../../src/lib/gathered-stream.ts'

describe('a stream whose pieces are gathered', () => {
  it('joins the bytes that arrive within one callback', async () => {
    const source = new PassThrough()
    const pieces: string[] = []
    const gathered = gatheredStream(source).on('data', piece => pieces.push(piece.toString()))
    for (let i = 0; i < 1000; i++) source.write('x')
    await nextPoll()
    source.write('y')
    await nextPoll()
    source.end('z')
    await once(gathered, 'end')
    expect(pieces.join('')).to.equal(`${'x'.repeat(1000)}yz`)
    expect(pieces.length).to.be.at.most(6)
  })

  it('does not wait for more bytes', async () => {
    const source = new PassThrough()
    const gathered = gatheredStream(source).on('error', () => {})
    source.write('a')
    const [piece] = await once(gathered, 'data')
    expect(piece.toString()).to.equal('a')
    source.destroy()
  })

  it('passes on every byte to a slow reader', async () => {
    const parts = Array.from({ length: 500 }, (_, i) => Buffer.alloc(1000, i))
    const received: Buffer[] = []
    for await (const piece of gatheredStream(Readable.from(parts, { objectMode: false }))) {
      received.push(piece as Buffer)
      await nextPoll()
    }
    expect(Buffer.concat(received).equals(Buffer.concat(parts))).to.equal(true)
  })

  it('ends empty if the source is empty', async () => {
    const gathered = gatheredStream(Readable.from([])).resume()
    await once(gathered, 'end')
  })

  it('fails as its source does', async () => {
    const source = new PassThrough()
    const gathered = gatheredStream(source)
    source.write('a')
    source.destroy(new Error('lost'))
    const [error] = await once(gathered, 'error')
    expect(error.message).to.equal('lost')
  })

  it('fails when its source closes before its end', async () => {
    const source = new PassThrough()
    const gathered = gatheredStream(source)
    source.destroy()
    const [error] = await once(gathered, 'error')
    expect(error.message).to.equal('the source closed before its end')
  })

  it('fails when its source was closed before', async () => {
    const source = new PassThrough().destroy()
    await once(source, 'close')
    const [error] = await once(gatheredStream(source), 'error')
    expect(error.message).to.equal('the source closed before its end')
  })

  it('destroys its source', async () => {
    const source = new PassThrough()
    gatheredStream(source).destroy()
    await once(source, 'close')
    expect(source.destroyed).to.equal(true)
  })
})
