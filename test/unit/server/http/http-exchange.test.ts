import http from 'node:http'
import http2 from 'node:http2'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Exchange, StreamWriter } from '../../../../src/endpoints/exchange.ts'
import { type FilledBody, filledWith } from '../../../../src/lib/filled-body.ts'
import { passingPiece } from '../../../../src/lib/pieces.ts'
import { SharedBytes } from '../../../../src/lib/shared-bytes.ts'
import { failure } from '../../../../src/meta/status.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'
import { eventually } from '../../../support/waiting.ts'

const KIB = 1024
const segments = (count: number, size: number): Buffer[] => Array.from({ length: count }, (_, i) => Buffer.alloc(size, 97 + (i % 26)))

describe('a response', () => {
  let body: Buffer | Buffer[] | FilledBody = Buffer.alloc(0)
  let server: TestServer
  before(async () => {
    server = await startTestServer(exchange => exchange.sendBytes(200, 'application/json', body))
  })
  after(() => server.close())

  for (const over of ['plain', 'secure', 'http2'] as const) {
    const get = (headers: http.OutgoingHttpHeaders = {}) => server[over]('/api/v1/things/x', { headers, admin: true })
    it(`with many segments is sent completely, with its length, over ${over}`, async () => {
      body = segments(1000, 20 * KIB)
      const { headers, body: got } = await get()
      expect(headers['content-length']).to.equal(String(1000 * 20 * KIB))
      expect(got.equals(Buffer.concat(body))).to.equal(true)
    })
    it(`with empty segments is completed over ${over}`, async () => {
      body = [Buffer.alloc(0), Buffer.alloc(0)]
      expect((await get()).body.length).to.equal(0)
    })
    it(`is compressed from 128 KiB on over ${over}`, async () => {
      body = segments(129, KIB)
      const { headers, body: got } = await get({ 'accept-encoding': 'deflate, gzip' })
      expect(headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
      expect(gunzipSync(got).equals(Buffer.concat(body))).to.equal(true)
    })
    it(`is compressed piece by piece if it has pieces, over ${over}`, async () => {
      const parts = Array.from({ length: 300 }, (_, i) => Buffer.alloc(7 * i, 97 + (i % 26)))
      const whole = Buffer.concat(parts)
      const pieced = () => ({ ...filledWith([whole], whole.length), pieces: () => parts.map(passingPiece) })
      body = pieced()
      expect(gunzipSync((await get({ 'accept-encoding': 'gzip' })).body).equals(whole)).to.equal(true)
      body = pieced()
      expect((await get()).body.equals(whole)).to.equal(true)
    })
    it(`is not compressed below 128 KiB over ${over}`, async () => {
      body = Buffer.alloc(128 * KIB, 97)
      expect((await get({ 'accept-encoding': 'gzip' })).headers).not.to.have.property('content-encoding')
    })
  }
  for (const accepted of ['gzip;q=1.0', 'identity, br', 'deflate'])
    it(`is not compressed for Accept-Encoding: ${accepted}`, async () => {
      body = Buffer.alloc(200 * KIB, 97)
      expect((await server.plain('/api/v1/things/x', { headers: { 'accept-encoding': accepted } })).headers).not.to.have.property(
        'content-encoding',
      )
    })
})

describe('an error with a code that HTTP does not allow', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer(async exchange => {
      throw failure(Number(exchange.query.get('code')), '', 'a webhook has said so')
    })
  })
  after(() => server.close())

  for (const over of ['plain', 'secure', 'http2'] as const)
    for (const code of [0, 99, 101, 1000, 2 ** 31 - 1, -1])
      it(`is sent as 500 for ${code}, over ${over}`, async () => {
        const { status, body } = await server[over](`/api/v1/things/x?code=${code}`, { admin: true })
        expect({ status, code: JSON.parse(body.toString()).code ?? 0 }).to.deep.equal({ status: 500, code })
      })
})

describe('a response without compression', () => {
  it('is sent unchanged', async () => {
    const body = Buffer.alloc(200 * KIB, 97)
    const server = await startTestServer(exchange => exchange.sendBytes(200, 'application/json', body), {
      exchange: { compressAnswers: false },
    })
    try {
      expect((await server.plain('/api/v1/things/x', { headers: { 'accept-encoding': 'gzip' } })).headers).not.to.have.property(
        'content-encoding',
      )
    } finally {
      await server.close()
    }
  })
})

describe('a stream', () => {
  let server: TestServer
  let opened: { exchange: Exchange; writer: StreamWriter; done: () => void }[] = []
  before(async () => {
    server = await startTestServer(async exchange => {
      const writer = exchange.stream(200, 'application/json')
      await new Promise<void>(done => opened.push({ exchange, writer, done }))
      writer.end()
    })
  })
  beforeEach(() => {
    opened = []
  })
  after(() => server.close())

  const url = '/api/v1/things?watch=1'
  const first = async () => {
    await eventually('a stream is opened', () => opened.length > 0)
    return opened[0]!
  }

  for (const over of ['plain', 'secure', 'http2'] as const)
    it(`sends its frames and is completed over ${over}`, async () => {
      const answer = server[over](url, { admin: true })
      const { writer, done } = await first()
      const shared = new SharedBytes([Buffer.from('{"a":1}\n'), Buffer.from('{"b":2}\n')])
      expect(writer.write(shared)).to.equal(true)
      expect(writer.write(new SharedBytes([]))).to.equal(true)
      expect(writer.write(shared)).to.equal(true)
      done()
      const { status, body, headers } = await answer
      expect([status, body.toString()]).to.deep.equal([200, '{"a":1}\n{"b":2}\n{"a":1}\n{"b":2}\n'])
      expect(headers).not.to.have.property('content-length')
      expect(writer.write(shared)).to.equal(false)
    })

  it('detects that its client has disconnected', async () => {
    const request = http.get({ port: server.running.insecurePort, path: url })
    request.on('error', () => {})
    const { exchange, writer, done } = await first()
    request.destroy()
    await eventually('it is told', () => exchange.ctx.signal.aborted)
    expect(writer.open).to.equal(false)
    await writer.drained()
    done()
  })

  it('disconnects a client that does not read', async () => {
    const request = http.get({ port: server.running.insecurePort, path: url })
    request.on('error', () => {})
    request.on('response', response => response.on('error', () => {}).pause())
    const { writer, exchange, done } = await first()
    const chunk = new SharedBytes([Buffer.alloc(256 * KIB)])
    let writes = 0
    while (writer.write(chunk) && writes < 1000) {
      writes++
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(writes).to.be.lessThan(1000)
    await eventually('it is told', () => exchange.ctx.signal.aborted)
    done()
  })

  it('resets the stream of a client that does not read over HTTP/2, and keeps its connection', async () => {
    const session = http2.connect(`https://127.0.0.1:${server.running.securePort}`, {
      ca: server.credentials.serverCa,
      ...server.credentials.admin,
    })
    const stream = session.request({ ':path': url })
    stream.on('error', () => {})
    const { writer, exchange, done } = await first()
    const chunk = new SharedBytes([Buffer.alloc(256 * KIB)])
    let writes = 0
    while (writer.write(chunk) && writes < 1000) writes++
    expect(writes).to.be.lessThan(1000)
    await eventually('it is told', () => exchange.ctx.signal.aborted)
    done()
    expect(session.destroyed).to.equal(false)
    session.destroy()
  })

  it('waits for a slow client on request', async () => {
    const answer = server.plain(url)
    const { writer, done } = await first()
    for (let i = 0; i < 100; i++) {
      writer.write(new SharedBytes([Buffer.alloc(256 * KIB)]))
      await writer.drained()
    }
    done()
    expect((await answer).body.length).to.equal(100 * 256 * KIB)
  })
})

describe('stop', () => {
  it('completes requests, aborts streams by their signals and closes the ports', async () => {
    let release: (() => void) | undefined
    let watching = 0
    const server = await startTestServer(async exchange => {
      if (exchange.ctx.info.verb === 'watch') {
        const writer = exchange.stream(200, 'application/json')
        writer.write(new SharedBytes([Buffer.from('event\n')]))
        watching++
        await new Promise<void>(resolve => exchange.ctx.signal.addEventListener('abort', () => resolve()))
        writer.end()
        return
      }
      await new Promise<void>(resolve => {
        release = resolve
      })
      await exchange.sendBytes(200, 'text/plain', Buffer.from('finished'))
    })
    const watch = server.plain('/api/v1/things?watch=1')
    const watch2 = server.http2('/api/v1/things?watch=1')
    const slow = server.plain('/api/v1/things/x')
    await eventually('all have come', () => release !== undefined && watching === 2)
    const stopped = server.running.stop(5000)
    expect((await watch).body.toString()).to.equal('event\n')
    expect((await watch2).body.toString()).to.equal('event\n')
    release?.()
    expect((await slow).body.toString()).to.equal('finished')
    await stopped
    const error = await server.plain('/version').catch((e: NodeJS.ErrnoException) => e.code)
    expect(error).to.equal('ECONNREFUSED')
    await server.close()
  })

  it('closes requests that exceed the grace period', async () => {
    let reached = false
    const server = await startTestServer(() => {
      reached = true
      return new Promise(() => {})
    })
    const answer = server.plain('/api/v1/things/x').catch((e: NodeJS.ErrnoException) => e.code)
    await eventually('it has come', () => reached)
    await server.running.stop(20)
    expect(await answer).to.equal('ECONNRESET')
    await server.close()
  })
})
