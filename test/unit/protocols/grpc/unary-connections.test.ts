import { once } from 'node:events'
import { createServer, type Http2Server } from 'node:http2'
import { type AddressInfo, createServer as createPlain, type Socket } from 'node:net'
import { expect } from 'chai'
import type { UnaryConnection } from '../../../../src/protocols/grpc/unary-connection.ts'
import { UnaryConnections } from '../../../../src/protocols/grpc/unary-connections.ts'
import { HeldTime } from '../../../support/held-time.ts'
import { eventually, turns } from '../../../support/waiting.ts'

describe('connections to several servers', () => {
  let server: Http2Server
  let address: string
  let connections: UnaryConnections
  const sockets: Socket[] = []

  beforeEach(async () => {
    server = createServer()
      .on('connection', socket => sockets.push(socket))
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    address = `127.0.0.1:${(server.address() as AddressInfo).port}`
    connections = new UnaryConnections({ userAgent: 'test', credentials: undefined })
  })
  afterEach(() => {
    connections.close()
    for (const socket of sockets.splice(0)) socket.destroy()
    server.close()
  })

  async function opened(): Promise<UnaryConnection> {
    let connection: UnaryConnection | undefined
    await eventually('a connection', () => {
      connection = connections.to(address)
      return connection !== undefined
    })
    return connection!
  }

  it('are opened on first use, one for each member', async () => {
    expect(connections.to(address)).to.equal(undefined)
    const connection = await opened()
    expect(await opened()).to.equal(connection)
    expect(sockets).to.have.length(1)
  })

  it('are reopened after their end, with a delay', async () => {
    const connection = await opened()
    sockets[0]?.destroy()
    await eventually('its end', () => connection.state === 'closed')
    const time = HeldTime.hold()
    try {
      expect(connections.to(address)).to.equal(undefined)
      await turns()
      expect(sockets).to.have.length(1)
      time.pass(1001)
      expect(await opened()).to.not.equal(connection)
      expect(sockets).to.have.length(2)
    } finally {
      time.release()
    }
  })

  it('are not reopened if the server sends frames that they cannot parse', async () => {
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
      expect(connections.to(there)).to.equal(undefined)
      await eventually('a connection', () => taken > 0)
      for (let i = 0; i < 150; i++) {
        time.pass(10)
        expect(connections.to(there)).to.equal(undefined)
        await turns(2)
      }
      expect(taken).to.equal(1)
    } finally {
      time.release()
    }
    odd.close()
  })

  it('are undefined if no server responds, or if the address is of another kind', async () => {
    for (const elsewhere of ['127.0.0.1:1', '/run/etcd.sock', 'etcd']) {
      for (let i = 0; i < 5; i++) {
        expect(connections.to(elsewhere)).to.equal(undefined)
        await turns(2)
      }
    }
  })

  it('are undefined after they are closed', async () => {
    const connection = await opened()
    connections.close()
    expect(connection.state).to.equal('closed')
    expect(connections.to(address)).to.equal(undefined)
  })
})
