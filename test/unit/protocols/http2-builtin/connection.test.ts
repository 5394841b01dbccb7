import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { expect } from 'chai'
import { FrameType } from '../../../../src/protocols/http2/frames.ts'
import { BuiltinConnection, type Serve } from '../../../../src/protocols/http2-builtin/connection.ts'
import { BuiltinPort } from '../../../../src/protocols/http2-builtin/port.ts'
import { HTTP2_LIMITS } from '../../../../src/server/limits.ts'
import { issueCa, issueServing } from '../../../../src/server/tls/issue.ts'
import { GET_HEALTHZ, openRawHttp2, type RawHttp2 } from '../../../support/raw-http2.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const LIMITS = HTTP2_LIMITS
const POST = Buffer.concat([Buffer.from([0x83, 0x87, 0x04, 2]), Buffer.from('/x'), Buffer.from([0x01, 1, 0x78])])
const ACK = 1
const END_STREAM = 1
const END_HEADERS = 4
const CANCEL = 8
const CALM = 11
const MINUTES = 60_000

describe('a connection with Node’s HTTP/2', () => {
  let ca: Awaited<ReturnType<typeof issueCa>>
  let server: tls.Server
  let raw: RawHttp2
  const serving = async (serve: Serve, settings: readonly (readonly [number, number])[] = []): Promise<BuiltinConnection> => {
    const { cert, key } = await issueServing(ca, 'server', { dns: ['localhost'], ips: ['127.0.0.1'] })
    server = tls.createServer({ cert, key, ALPNProtocols: ['h2'], allowHalfOpen: true } as tls.TlsOptions).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const accepted = once(server, 'secureConnection').then(
      ([socket]) => new BuiltinConnection(socket as tls.TLSSocket, serve, new BuiltinPort(LIMITS)),
    )
    raw = await openRawHttp2((server.address() as AddressInfo).port, settings)
    return accepted
  }
  before(async () => {
    ca = await issueCa('ca')
  })
  afterEach(() => {
    raw.close()
    server.close()
  })

  it('buffers at most 16 MiB of unread bodies, whatever the number of streams', async () => {
    const connection = await serving(() => {})
    // From now on, the windows are those of the server's settings.
    raw.send(FrameType.settings, ACK, 0)
    for (let stream = 1; stream < 200; stream += 2) {
      raw.send(FrameType.headers, END_HEADERS, stream, POST)
      for (let n = 0; n < 15; n++) raw.send(FrameType.data, 0, stream, Buffer.alloc(16_384))
      await turns(1)
    }
    const { payload } = await raw.until(({ type }) => type === FrameType.reset)
    expect(payload.readUInt32BE(0)).to.equal(CALM)
    await eventually('the bound is reached', () => connection.heldBytes >= 15 << 20)
    await turns()
    expect(connection.heldBytes).to.be.within(15 << 20, (16 << 20) + 256 * 1024)
  })

  it('ignores headers with control characters, which Node drops', async () => {
    let seen: readonly string[] = []
    await serving((request, answer) => {
      seen = request.rawHeaders
      answer.whole(200, [], Buffer.from('ok'))
    })
    const field = (name: string, value: string): Buffer =>
      Buffer.from(`\0${String.fromCharCode(name.length)}${name}${String.fromCharCode(value.length)}${value}`, 'latin1')
    raw.send(FrameType.headers, END_STREAM | END_HEADERS, 1, Buffer.concat([GET_HEALTHZ, field('x-a', 'a\x01b'), field('x-b', 'b')]))
    await raw.until(({ type }) => type === FrameType.headers)
    expect(seen.filter(name => name.startsWith('x-'))).to.eql(['x-b'])
  })

  it('releases the memory of a response that the client does not read', async () => {
    const connection = await serving((_, answer) => answer.whole(200, [], Buffer.alloc(1000)), [[4, 0]])
    raw.send(FrameType.headers, END_STREAM | END_HEADERS, 1, GET_HEALTHZ)
    await raw.until(({ type }) => type === FrameType.headers)
    const now = performance.now()
    connection.check(now)
    connection.check(now + MINUTES - 1)
    expect([connection.open, connection.isWaiting, connection.heldBytes]).to.eql([1, true, 1000])
    connection.check(now + MINUTES + 1)
    expect((await raw.until(({ type }) => type === FrameType.reset)).payload.readUInt32BE(0)).to.equal(CANCEL)
    expect([connection.open, connection.isWaiting, connection.heldBytes]).to.eql([0, false, 0])
  })

  it('sends GOAWAY to an idle client, and closes the connection a second later', async () => {
    const connection = await serving((_, answer) => answer.whole(200, [], Buffer.from('ok')))
    raw.send(FrameType.headers, END_STREAM | END_HEADERS, 1, GET_HEALTHZ)
    await raw.until(({ type, flags }) => type === FrameType.data && flags === END_STREAM)
    const now = performance.now()
    connection.check(now)
    connection.check(now + LIMITS.idleMs - 1)
    expect(raw.frames.some(({ type }) => type === FrameType.goAway)).to.equal(false)
    connection.check(now + LIMITS.idleMs + 1)
    expect(await raw.ended()).to.equal(0)
  })

  it('closes a connection that Node has silently stopped reading, if a ping is not acknowledged', async () => {
    const connection = await serving((_, answer) => answer.head(200, [], undefined))
    raw.send(FrameType.headers, END_STREAM | END_HEADERS, 1, GET_HEALTHZ)
    await raw.until(({ type }) => type === FrameType.headers)
    raw.send(FrameType.ping, 0, 0, Buffer.alloc(7))
    await raw.until(({ type }) => type === FrameType.goAway)
    const now = performance.now()
    connection.check(now)
    connection.check(now + MINUTES + 1)
    connection.check(now + 16 * MINUTES)
    await turns()
    // Since Node 22, Node closes such a connection itself.
    expect(connection.open).to.be.at.most(1)
    connection.check(now + 17 * MINUTES)
    await raw.ended()
    await eventually('it is closed', () => connection.open === 0)
  })
})
