import { once } from 'node:events'
import { createServer, type Http2Server } from 'node:http2'
import { type AddressInfo, createServer as createPlain, type Socket } from 'node:net'
import { expect } from 'chai'
import type { Line } from '../../../../src/protocols/grpc/line.ts'
import { Lines } from '../../../../src/protocols/grpc/lines.ts'
import { HeldTime } from '../../../support/held-time.ts'
import { eventually, turns } from '../../../support/waiting.ts'

describe('lines to several servers', function () {
  this.timeout(20_000)
  let server: Http2Server
  let address: string
  let lines: Lines
  const sockets: Socket[] = []

  beforeEach(async () => {
    server = createServer()
      .on('connection', socket => sockets.push(socket))
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    lines = new Lines('test', undefined)
  })
  afterEach(() => {
    lines.close()
    for (const socket of sockets.splice(0)) socket.destroy()
    server.close()
  })

  async function opened(): Promise<Line> {
    let line: Line | undefined
    await eventually('a line', () => {
      line = lines.to(address)
      return line !== undefined
    })
    return line!
  }

  it('are opened when first asked for, one for each member', async () => {
    expect(lines.to(address)).to.equal(undefined)
    const line = await opened()
    expect(await opened()).to.equal(line)
    expect(sockets).to.have.length(1)
  })

  it('are opened anew after their end, though not at once', async () => {
    const line = await opened()
    sockets[0]?.destroy()
    await eventually('its end', () => line.state === 'closed')
    const time = HeldTime.hold()
    try {
      expect(lines.to(address)).to.equal(undefined)
      await turns()
      expect(sockets).to.have.length(1)
      time.pass(1001)
      expect(await opened()).to.not.equal(line)
      expect(sockets).to.have.length(2)
    } finally {
      time.release()
    }
  })

  it('are not opened anew where the server sends what they cannot read', async () => {
    let taken = 0
    // Settings, and a push.
    const odd = createPlain(socket => {
      taken++
      socket.on('error', () => {}).write(Buffer.from('000000040000000000000000050000000001', 'hex'))
    }).listen(0, '127.0.0.1')
    await once(odd, 'listening')
    const there = `127.0.0.1:${(odd.address() as AddressInfo).port}`
    const time = HeldTime.hold()
    try {
      expect(lines.to(there)).to.equal(undefined)
      await eventually('a connection', () => taken > 0)
      for (let i = 0; i < 150; i++) {
        time.pass(10)
        expect(lines.to(there)).to.equal(undefined)
        await turns(2)
      }
      expect(taken).to.equal(1)
    } finally {
      time.release()
    }
    odd.close()
  })

  it('are not there where nobody answers, or where the address is of another kind', async () => {
    for (const elsewhere of ['127.0.0.1:1', '/run/etcd.sock', 'etcd']) {
      for (let i = 0; i < 5; i++) {
        expect(lines.to(elsewhere)).to.equal(undefined)
        await turns(2)
      }
    }
  })

  it('are none after their owner has closed them', async () => {
    const line = await opened()
    lines.close()
    expect(line.state).to.equal('closed')
    expect(lines.to(address)).to.equal(undefined)
  })
})
