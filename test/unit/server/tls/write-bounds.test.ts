import { once } from 'node:events'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { writeBounds } from '../../../../src/server/tls/write-bounds.ts'

const KIB = 1024
const TEXT = Buffer.from(Array.from({ length: 200 * KIB }, (_, i) => i % 251))

/** A stream that records the lengths of its writes and the bytes. Each write takes a turn, as over TLS. */
function recorder(failsAt = Number.POSITIVE_INFINITY) {
  const lengths: number[] = []
  const parts: Buffer[] = []
  const take = (chunks: Buffer[], done: (error?: Error) => void): void => {
    parts.push(...chunks)
    lengths.push(Buffer.concat(chunks).length)
    setImmediate(() => done(lengths.length > failsAt ? new Error('gone') : undefined))
  }
  const socket = new Writable({
    decodeStrings: false,
    write: (chunk: Buffer | string, encoding, done) => take([Buffer.from(chunk as string, encoding)], done),
    writev: (entries, done) =>
      take(
        entries.map(({ chunk, encoding }) => Buffer.from(chunk, encoding)),
        done,
      ),
  })
  return { socket, lengths, received: () => Buffer.concat(parts) }
}

const written = async (socket: Writable, chunks: readonly (Buffer | string)[]): Promise<void> => {
  await Promise.all(chunks.map(chunk => new Promise(resolve => socket.write(chunk, 'latin1', resolve))))
}

describe('writeBounds', () => {
  it('allows long writes to a few connections, and one TLS record to each of many', async () => {
    const bound = writeBounds(256 * KIB)
    const all = Array.from({ length: 40 }, () => recorder())
    const [first] = all as [ReturnType<typeof recorder>]
    bound(first.socket)
    await written(first.socket, [TEXT])
    for (const { socket } of all.slice(1, 4)) bound(socket)
    await written(first.socket, [TEXT])
    for (const { socket } of all.slice(4)) bound(socket)
    await written(first.socket, [TEXT])
    expect(first.lengths).to.deep.equal([200 * KIB, ...Array(4).fill(50 * KIB), ...Array(12).fill(15_754), 15_752])
    expect(first.received().equals(Buffer.concat([TEXT, TEXT, TEXT]))).to.equal(true)
    for (const { socket } of all.slice(1)) socket.destroy()
    await once(all[39]?.socket as Writable, 'close')
    await written(first.socket, [TEXT])
    expect(first.lengths.at(-1)).to.equal(200 * KIB)
  })

  it('joins queued writes in order, up to the limit', async () => {
    const { socket, lengths, received } = recorder()
    writeBounds(0)(socket)
    const chunks = [
      TEXT.subarray(0, 10),
      'head',
      ...Array(9).fill(TEXT.subarray(0, 4000)),
      TEXT.subarray(0, 20_000),
      '',
      TEXT.subarray(0, 5),
    ]
    await written(socket, chunks)
    expect(lengths).to.deep.equal([10, 16_004, 16_000, 4000, 10_000, 10_000, 5])
    expect(received().equals(Buffer.concat(chunks.map(chunk => Buffer.from(chunk, 'latin1'))))).to.equal(true)
  })

  it('reports a failure once, and stops writing', async () => {
    const { socket, lengths } = recorder(2)
    writeBounds(0)(socket)
    const errors: Error[] = []
    socket.on('error', error => errors.push(error))
    socket.write(TEXT)
    socket.write(TEXT)
    await new Promise(resolve => socket.once('close', resolve))
    expect(errors.map(({ message }) => message)).to.deep.equal(['gone'])
    expect(lengths.length).to.equal(3)
  })
})
