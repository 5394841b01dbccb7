import type { SecureVersion } from 'node:tls'
import { expect } from 'chai'
import { type JoinedRecords, openJoinedRecords } from '../../../support/joined-records.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'

/** More bytes than the buffers of a connection hold whose client does not read. */
const LONG_RESPONSE = Buffer.alloc(24 << 20, 'x')

const head = (line: string, ...lines: string[]): string => [`${line} HTTP/1.1`, 'Host: a', ...lines, '', ''].join('\r\n')

describe('an HTTP/1.1 request over TLS whose head and body arrive as records of one read while an earlier response is being written', () => {
  let server: TestServer
  /** Lengths of the request bodies that were served. */
  let served: number[]
  const opened: JoinedRecords[] = []
  const open = async (version: SecureVersion = 'TLSv1.3'): Promise<JoinedRecords> => {
    const client = await openJoinedRecords(server.running.securePort, version)
    opened.push(client)
    return client
  }
  before(async () => {
    server = await startTestServer(
      async exchange => {
        if (exchange.path.endsWith('long')) return exchange.sendBytes(200, 'text/plain', LONG_RESPONSE)
        served.push((await exchange.readBody(4 << 20)).length)
        return exchange.sendBytes(201, 'text/plain', Buffer.from('ok'))
      },
      { access: { authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) } } },
    )
  })
  beforeEach(() => {
    served = []
  })
  afterEach(() => {
    for (const client of opened.splice(0)) client.close()
  })
  after(() => server.close())

  const beginLongResponse = async (client: JoinedRecords): Promise<void> => {
    await client.send(head('GET /api/v1/things/long'))
    await client.statuses(1)
    client.pause()
  }

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const)
    for (const size of [1000, 12_000, 20_000, 60_000, 100_000, 1_000_000])
      it(`is served: ${size} bytes over ${version}`, async () => {
        const client = await open(version)
        await beginLongResponse(client)
        await client.send(head('POST /api/v1/things', `Content-Length: ${size}`), Buffer.alloc(size, 'y'))
        client.resume()
        expect(await client.statuses(2)).to.deep.equal(['200', '201'])
        expect(served).to.deep.equal([size])
      })

  for (const [what, fields, body] of [
    ['in chunks', ['Transfer-Encoding: chunked'], ['4e20\r\n', 'y'.repeat(20_000), '\r\n', '0\r\n\r\n']],
    ['that waits for 100 Continue no longer', ['Content-Length: 20000', 'Expect: 100-continue'], ['y'.repeat(20_000)]],
    ['in several records', ['Content-Length: 20000'], ['y', 'y'.repeat(9_999), 'y'.repeat(10_000)]],
  ] as const)
    it(`is served: a body ${what}`, async () => {
      const client = await open()
      await beginLongResponse(client)
      await client.send(head('POST /api/v1/things', ...fields), ...body)
      client.resume()
      await client.statuses(2)
      await client.send(head('POST /api/v1/things', 'Content-Length: 2'), 'ab')
      expect((await client.statuses(fields.length + 2)).filter(status => status !== '100')).to.deep.equal(['200', '201', '201'])
      expect(served).to.deep.equal([20_000, 2])
    })

  it('is served: 200 of 20 KB on 10 connections', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const client = await open()
        await beginLongResponse(client)
        for (let i = 0; i < 20; i++) await client.send(head('POST /api/v1/things', 'Content-Length: 20000'), 'y'.repeat(20_000))
        client.resume()
        return client.statuses(21)
      }),
    )
    expect(statuses.flat().filter(status => status === '201')).to.have.length(200)
    expect(served).to.deep.equal(new Array(200).fill(20_000))
  })

  it('is served on a connection that Node has paused for an earlier body', async () => {
    const client = await open()
    for (let sent = 1; sent <= 3; sent++) {
      await client.send(head('POST /api/v1/things', 'Content-Length: 100000'), 'y'.repeat(100_000))
      await client.statuses(sent)
    }
    await client.send(head('GET /api/v1/things/long'))
    await client.statuses(4)
    client.pause()
    await client.send(head('POST /api/v1/things', 'Content-Length: 20000'), 'y'.repeat(20_000))
    client.resume()
    expect(await client.statuses(5)).to.deep.equal(['201', '201', '201', '200', '201'])
  })
})
