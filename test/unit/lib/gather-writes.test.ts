import { Duplex } from 'node:stream'
import { expect } from 'chai'
import { gatherWrites } from '../../../src/lib/gather-writes.ts'

describe('writes of one turn', () => {
  it('are sent together', async () => {
    const left: string[] = []
    const socket = new Duplex({
      read() {},
      writev: (chunks, done) => {
        left.push(chunks.map(({ chunk }) => String(chunk)).join(''))
        done()
      },
    })
    for (const text of ['a', 'b', 'c']) {
      gatherWrites(socket)
      socket.write(text)
    }
    expect(left).to.deep.equal([])
    await new Promise(resolve => setImmediate(resolve))
    gatherWrites(socket)
    socket.write('d')
    await new Promise(resolve => setImmediate(resolve))
    expect(left).to.deep.equal(['abc', 'd'])
  })
})
