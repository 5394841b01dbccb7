import { setImmediate as turn } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { ReadLines, Reads } from '../../../../src/protocols/http2-builtin/reads.ts'

const port = new ReadLines()

/** A connection, and what was asked of that which reads it. */
function connection(log: string[], name = ''): { reads: Reads; socket: { destroyed: boolean } } {
  const socket = { destroyed: false, _handle: { readStart: () => log.push(`${name}start`), readStop: () => log.push(`${name}stop`) } }
  return { reads: new Reads(socket as unknown as TLSSocket, port), socket }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn()
}

describe("reading of connections with Node's HTTP/2", () => {
  it('starts with one new connection per turn', async () => {
    const log: string[] = []
    for (let i = 0; i < 10; i++) connection(log)
    expect(log).to.deep.equal(Array(10).fill('stop'))
    const begun = (): number => log.filter(text => text === 'start').length
    for (let before = 0; before < 10; before = begun()) {
      await turn()
      expect(begun()).to.be.at.most(before + 1)
    }
  })

  it('continues for a client with few requests per turn', async () => {
    const log: string[] = []
    const { reads } = connection(log)
    await turns(5)
    for (let i = 0; i < 20; i++) {
      for (let streams = 0; streams < 20; streams++) reads.began()
      await turns(2)
    }
    expect(log).to.deep.equal(['stop', 'start'])
  })

  it('queues a connection with many requests behind new connections', async () => {
    const log: string[] = []
    const busy = ['a', 'b', 'c'].map(name => connection(log, name))
    await turns(20)
    log.length = 0
    for (const { reads } of busy) for (let streams = 0; streams < 1000; streams++) reads.began()
    expect(log).to.deep.equal(['astop', 'bstop', 'cstop'])
    ;(busy[1] as { socket: { destroyed: boolean } }).socket.destroyed = true
    connection(log, 'd')
    await turns(20)
    expect(log.slice(3)).to.deep.equal(['dstop', 'dstart', 'astart', 'cstart'])
  })

  it('leaves turns to other connections after a long one', async () => {
    const log: string[] = []
    const [a, b] = ['a', 'b'].map(name => connection(log, name))
    await turns(20)
    log.length = 0
    for (let streams = 0; streams < 300; streams++) a?.reads.began()
    for (let streams = 0; streams < 40; streams++) b?.reads.began()
    expect(log).to.deep.equal(['astop', 'bstop'])
    await turns(5)
    expect(log).to.deep.equal(['astop', 'bstop'])
    await turns(10)
    expect(log).to.deep.equal(['astop', 'bstop', 'astart', 'bstart'])
  })

  it('stops for a connection that has failed', async () => {
    const log: string[] = []
    const { reads } = connection(log)
    reads.end()
    await turns(5)
    expect(log).to.deep.equal(['stop', 'stop'])
  })
})
