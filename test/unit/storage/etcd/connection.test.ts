import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type EtcdConnection, openConnection } from '../../../../src/storage/etcd/connection.ts'
import { never } from '../../../support/backend.ts'
import { RecordedSpans } from '../../../support/recorded-spans.ts'
import { eventually } from '../../../support/waiting.ts'

const EMPTY_MESSAGE = Buffer.alloc(5)
const LONGER_THAN_KEEPALIVE_MS = 7000

describe('the connection to etcd', () => {
  let server: Http2Server
  let connection: EtcdConnection
  /** Connection over which each call arrived. */
  const came: ('line' | 'client')[] = []
  const sessions = new Map<ServerHttp2Session, 'line' | 'client'>()

  const spans = new RecordedSpans()
  beforeEach(async () => {
    came.length = 0
    sessions.clear()
    server = createServer()
    // Every call gets an empty message.
    server.on('stream', (stream, headers) => {
      const by = headers['user-agent'] === 'binnacle' ? 'line' : 'client'
      came.push(by)
      if (stream.session) sessions.set(stream.session as ServerHttp2Session, by)
      stream.on('error', () => {}).resume()
      stream.on('end', () => {
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
        stream.end(EMPTY_MESSAGE)
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    spans.ended.splice(0)
    connection = await openConnection({ servers: [`http://127.0.0.1:${(server.address() as AddressInfo).port}`], spans })
  })
  afterEach(() => {
    connection.close()
    for (const session of sessions.keys()) session.destroy()
    server.close()
  })

  /** Makes a call, and returns the connection over which it arrived. */
  async function call(bytes = 10): Promise<'line' | 'client' | undefined> {
    const answer = await connection.call('/etcdserverpb.KV/Range', Buffer.alloc(bytes), {
      signal: never,
      deadline: Date.now() + 120_000,
      repeatable: true,
    })
    expect(answer).to.have.length(0)
    return came.at(-1)
  }

  const byLine = (): Promise<void> => eventually('a call by the line', async () => (await call()) === 'line')

  it('sends calls of any length over a connection as soon as there is one', async () => {
    expect(await call()).to.equal('client')
    await byLine()
    for (let i = 0; i < 10; i++) expect(await call()).to.equal('line')
    expect(await call(40_000)).to.equal('line')
    expect(await call(1_000_000)).to.equal('line')
  })

  it('records calls if a request is recorded', async () => {
    await call()
    const attributes = { 'rpc.system': 'grpc', 'rpc.service': 'etcdserverpb.KV', 'rpc.method': 'Range' }
    expect(spans.ended).to.deep.equal([{ name: 'etcdserverpb.KV/Range', attributes, failure: undefined }])
    connection.close()
    expect(await call().catch(() => 'failed')).to.equal('failed')
    expect(spans.ended.at(-1)?.failure).to.equal('the connection to etcd is closed')
  })

  it('sends no pings without calls, because etcd would close the connection', async () => {
    await call()
    let pings = 0
    for (const session of sessions.keys()) session.on('ping', () => pings++)
    await new Promise(resolve => setTimeout(resolve, LONGER_THAN_KEEPALIVE_MS))
    expect(sessions.size).to.be.above(0)
    expect(pings).to.equal(0)
  })

  it('continues without a lost unary connection, and reopens it later', async () => {
    await byLine()
    for (const [session, by] of sessions) if (by === 'line') session.destroy()
    expect(await call()).to.equal('client')
    await byLine()
  })
})

describe('the connection to etcd of two members', () => {
  const servers: Http2Server[] = []
  const sessions = new Set<ServerHttp2Session>()
  let connection: EtcdConnection
  /** Calls that each member has received. */
  const calls = [0, 0]
  /** Index of the member that does not respond to calls. */
  let silent: number | undefined

  before(async () => {
    for (const id of [0, 1]) {
      const server = createServer().on('session', session => sessions.add(session))
      server.on('stream', (stream, headers) => {
        if (headers[':path'] === '/etcdserverpb.KV/Range') calls[id]!++
        stream.on('error', () => {}).resume()
        if (id === silent) return
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
        stream.end(EMPTY_MESSAGE)
      })
      servers.push(server.listen(0, '127.0.0.1'))
      await once(server, 'listening')
    }
    connection = await openConnection({ servers: servers.map(server => `http://127.0.0.1:${(server.address() as AddressInfo).port}`) })
  })
  after(() => {
    connection.close()
    for (const session of sessions) session.destroy()
    for (const server of servers) server.close()
  })

  const call = (milliseconds = 120_000) =>
    connection.call('/etcdserverpb.KV/Range', Buffer.alloc(10), { signal: never, deadline: Date.now() + milliseconds, repeatable: true })

  it('stays with the member that responds while calls of the other fail', async () => {
    // Both are up.
    await eventually('both have been called', async () => {
      await call()
      await connection
        .watchStream({ signal: never, deadline: Date.now() + 120_000, isProgressTrusted: false })
        .then(stream => stream.close())
      return calls.every(count => count > 0)
    })
    const [first, second] = [...calls]
    await call()
    silent = calls[0]! > first! ? 0 : 1
    expect(calls[1 - silent]).to.equal([first, second][1 - silent])
    const late = [200, 400, 600, 800].map(milliseconds => call(milliseconds).catch((error: { code: string }) => error.code))
    expect(await late[0]).to.equal('timeout')
    const before = calls[silent]
    for (const each of late.slice(1)) {
      await call()
      expect(await each).to.equal('timeout')
    }
    await call()
    expect(calls[silent]).to.equal(before)
  })
})
