import { once } from 'node:events'
import net from 'node:net'
import { expect } from 'chai'
import type { Exchange } from '../../../../src/endpoints/exchange.ts'
import { steadyClock } from '../../../../src/lib/clock.ts'
import { FrameType } from '../../../../src/protocols/http2/frames.ts'
import { Deadlines, withRequestDeadline } from '../../../../src/server/filters/deadline.ts'
import { filterContext, rejection, runFilter } from '../../../support/filter-context.ts'
import { openRawHttp2 } from '../../../support/raw-http2.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'
import { eventually } from '../../../support/waiting.ts'

const LONG = Buffer.alloc(64 << 20)
/** GET `/api/v1/things` over HTTP/2, by alice. */
const GET_THINGS = Buffer.concat([
  Buffer.from([0x82, 0x87, 0x04, 14]),
  Buffer.from('/api/v1/things'),
  Buffer.from([0x0f, 8, 12]),
  Buffer.from('Bearer alice'),
])

describe('a response that the client does not read', () => {
  let server: TestServer
  let over = 0
  before(async () => {
    const sendLong = (exchange: Exchange): Promise<void> => exchange.sendBytes(200, 'text/plain', [LONG, LONG]).finally(() => over++)
    server = await startTestServer(sendLong, {
      // Long enough for another request to arrive before.
      limits: { timeoutMs: 3000, maxInFlight: 3 },
      access: { authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) } },
    })
  })
  after(() => server.close())

  const status = async (): Promise<number> => {
    const socket = net.connect(server.running.insecurePort ?? 0, '127.0.0.1')
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    const [head] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    return Number(head.toString().slice(9, 12))
  }
  const statusOverTls = async (): Promise<number> => (await server.secure('/healthz')).status

  it('is cut off at the deadline over HTTP/2, and releases its slot', async () => {
    const raw = await openRawHttp2(server.running.securePort, [[4, 0]])
    for (const stream of [1, 3, 5]) raw.send(FrameType.headers, 5, stream, GET_THINGS)
    await raw.until(({ type, stream }) => type === FrameType.headers && stream === 5)
    expect(await statusOverTls()).to.equal(429)
    for (const id of [1, 3, 5]) await raw.until(({ type, stream }) => type === FrameType.reset && stream === id)
    expect(await statusOverTls()).to.equal(200)
    raw.close()
  })

  it('is cut off at the deadline over HTTP/1.1', async () => {
    const socket = net.connect(server.running.insecurePort ?? 0, '127.0.0.1').on('error', () => {})
    socket.write('GET /api/v1/things HTTP/1.1\r\nHost: localhost\r\n\r\n')
    socket.once('data', () => socket.pause())
    const before = over
    await once(socket, 'data')
    await eventually('it is cut', () => over === before + 1)
    expect(await status()).to.equal(200)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(bytes).to.be.below(LONG.length)
  })
})

describe('withRequestDeadline', () => {
  const HOUR = 3_600_000
  const filter = withRequestDeadline(new Deadlines(new Set()), HOUR)

  /** Timeout of a request in milliseconds. Undefined if it has none. */
  async function given(url: string): Promise<number | undefined> {
    const ctx = filterContext({ url })
    const before = steadyClock.now()
    await runFilter(filter, ctx)
    const { deadline } = ctx.state.exchange
    return deadline === 0 ? undefined : Math.round((deadline - before) / 60_000) * 60_000
  }

  it("sets the server's timeout", async () => expect(await given('/api/v1/things')).to.equal(HOUR))
  it("sets the client's timeout if it is shorter", async () => expect(await given('/api/v1/things?timeout=30m')).to.equal(HOUR / 2))
  it("does not exceed the server's timeout", async () => expect(await given('/api/v1/things?timeout=3h')).to.equal(HOUR))
  for (const timeout of ['', '0', '0s', '-5s'])
    it(`sets the server's timeout for ?timeout=${timeout}`, async () =>
      expect(await given(`/api/v1/things?timeout=${timeout}`)).to.equal(HOUR))
  it('sets none for a watch', async () => expect(await given('/api/v1/things?watch=1&timeout=5s')).to.equal(undefined))

  const refused = (timeout: string): Promise<unknown> =>
    rejection(runFilter(filter, filterContext({ url: `/api/v1/things?timeout=${timeout}` })))
  it('throws 504 if the timeout leaves no time', async () => expect(await refused('1ns')).to.include({ code: 504 }))
  it('throws 400 if the timeout is invalid', async () => expect(await refused('soon')).to.include({ code: 400 }))
})
