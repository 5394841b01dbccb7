import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { EARNED, IDLE_FRAMES } from '../../../../src/protocols/http2/limits.ts'
import { http1Listener } from '../../../../src/server/connections/http1-requests.ts'
import { answerInvalidRequest } from '../../../../src/server/connections/invalid-request.ts'
import { MAX_HEADER_BYTES, MAX_HEADERS, MAX_PIPELINED } from '../../../../src/server/limits.ts'
import { startTestServer, type TestServer } from '../../../support/server.ts'
import { turns } from '../../../support/waiting.ts'

/** Sends a text. Returns the bytes until the end, or until so many responses have begun. */
async function say(port: number, text: string, answers = Number.POSITIVE_INFINITY): Promise<{ heard: string; ended: boolean }> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  let heard = ''
  const ended = await new Promise<boolean>(resolve => {
    socket.once('close', () => resolve(true))
    socket.setEncoding('latin1').on('data', (part: string) => {
      heard += part
      if (statuses(heard).length >= answers) resolve(false)
    })
    socket.write(text)
  })
  socket.destroy()
  return { heard, ended }
}

const statuses = (heard: string): number[] => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
const fields = (count: number, field = 'a: b'): string => `${field}\r\n`.repeat(count)
const head = (line: string, ...lines: string[]): string => [`${line} HTTP/1.1`, 'Host: localhost', ...lines].join('\r\n')

describe('header fields over HTTP/1.1', () => {
  let server: TestServer
  let port: number
  const served: [fields: number, last: unknown][] = []
  before(async () => {
    server = await startTestServer(async exchange => {
      served.push([exchange.rawHeaders.length / 2, exchange.headers['x-last']])
      await exchange.sendBytes(200, 'text/plain', Buffer.from('ok'))
    })
    port = server.running.insecurePort ?? 0
  })
  beforeEach(() => {
    served.length = 0
  })
  after(() => server.close())

  for (const [offer, ...more] of [
    ['', ''],
    [', with an offer of HTTP/2', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk'],
  ] as const) {
    const lines = [...more, ''].join('\r\n').replace(/^\r\n/, '')
    const taken = MAX_HEADERS - 3 - (offer === '' ? 0 : 3)

    it(`are all served, up to ${MAX_HEADERS}${offer}`, async () => {
      const { heard } = await say(port, `${head('GET /api/v1/things')}\r\n${lines}${fields(taken)}X-Last: 1\r\nConnection: close\r\n\r\n`)
      expect(statuses(heard)).to.deep.equal([200])
      expect(served[0]?.[1]).to.equal('1')
    })

    it(`are refused beyond the limit${offer}, without parsing the bytes behind them`, async () => {
      const body = 'GET /api/v1/behind HTTP/1.1\r\nHost: localhost\r\n\r\n'
      const text = `${head('POST /api/v1/things')}\r\n${lines}${fields(MAX_HEADERS + 10)}Content-Length: ${body.length}\r\n\r\n${body}`
      const { heard, ended } = await say(port, text)
      expect({ statuses: statuses(heard), ended, served }).to.deep.equal({ statuses: [431], ended: true, served: [] })
    })
  }

  it('are refused beyond the limit if the connection is upgraded', async () => {
    const text = `${head('GET /api/v1/namespaces/a/pods/b/exec')}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${fields(MAX_HEADERS + 10)}Impersonate-User: alice\r\n\r\n`
    const { heard, ended } = await say(port, text)
    expect({ statuses: statuses(heard), ended, served }).to.deep.equal({ statuses: [431], ended: true, served: [] })
  })

  it('are refused, however many and small they are', async () => {
    const { heard } = await say(port, `${head('GET /api/v1/things')}\r\n${fields(250_000, 'a:')}\r\n`)
    expect(statuses(heard)).to.deep.equal([431])
  })

  const hosts: readonly (readonly [lines: string, status: string])[] = [
    ['Host: a\r\nhost: a\r\n', '400 Bad Request'],
    ['', '400 Bad Request: missing required Host header'],
    ['Host: a b\r\n', '400 Bad Request: malformed Host header'],
    ['Host: a/b\r\n', '400 Bad Request: malformed Host header'],
    ['Host: [::1]:443\r\n', '200 OK'],
  ]
  for (const [lines, status] of hosts)
    it(`must name one host: ${JSON.stringify(lines)} gets ${status}`, async () => {
      const { heard, ended } = await say(port, `GET /api/v1/things HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)
      expect(ended).to.equal(true)
      expect(heard.split('\r\n')[0]).to.equal(`HTTP/1.1 ${status}`)
    })

  for (const [version, coding, status] of [
    ['1.1', 'gzip, chunked', '501 Not Implemented'],
    ['1.0', 'chunked', '400 Bad Request'],
    ['1.1', 'Chunked', '200 OK'],
  ] as const)
    it(`determine the end of the body: ${coding} in HTTP/${version} gets ${status}`, async () => {
      const behind = `${head('GET /api/v1/behind', 'Connection: close')}\r\n\r\n`
      const { heard, ended } = await say(
        port,
        `POST /api/v1/things HTTP/${version}\r\nHost: localhost\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n${behind}`,
      )
      expect(ended).to.equal(true)
      expect(heard.split('\r\n')[0]).to.equal(`HTTP/1.1 ${status}`)
      expect(served).to.have.length(status.startsWith('200') ? 2 : 0)
    })

  it('are refused once if the body has a coding other than chunked', async () => {
    const { heard, ended } = await say(port, `${head('POST /api/v1/things', 'Transfer-Encoding: gzip')}\r\n\r\nabc`)
    expect({ statuses: statuses(heard), ended }).to.deep.equal({ statuses: [501], ended: true })
  })

  it('are limited in bytes', async () => {
    const { heard } = await say(port, `${head('GET /api/v1/things')}\r\n${fields(1100, `a: ${'b'.repeat(1000)}`)}\r\n`)
    expect(statuses(heard)).to.deep.equal([431])
  })
})

describe('a request line over HTTP/1.1', () => {
  let server: TestServer
  let port: number
  const paths: string[] = []
  before(async () => {
    server = await startTestServer(async exchange => {
      paths.push(exchange.path)
      await exchange.sendBytes(200, 'text/plain', Buffer.from('ok'))
    })
    port = server.running.insecurePort ?? 0
  })
  beforeEach(() => {
    paths.length = 0
  })
  after(() => server.close())

  const lines: readonly (readonly [line: string, status: number])[] = [
    ['G ET /healthz HTTP/1.1', 400],
    [' /healthz HTTP/1.1', 400],
    ['GE(T /healthz HTTP/1.1', 400],
    ['GE\u0001T /healthz HTTP/1.1', 400],
    ['GET\t/healthz\tHTTP/1.1', 400],
    ['GET\u00ff /healthz HTTP/1.1', 400],
    ['FOO /healthz HTTP/1.1', 405],
    ['get /healthz HTTP/1.1', 405],
    ['XGET /healthz HTTP/1.1', 405],
    ['CONNECT localhost:443 HTTP/1.1', 405],
    ['CONNECT /healthz HTTP/1.1', 405],
    ['GET /healthz HTTP/2.0', 505],
    ['GET /healthz HTTP/0.9', 505],
    ['GET /healthz', 505],
    ['GET http://other/healthz HTTP/1.1', 200],
    ['GET http://other:80?x HTTP/1.1', 200],
    ['GET /healthz HTTP/1.1', 200],
  ]
  for (const [line, status] of lines)
    it(`gets ${status}: ${JSON.stringify(line.slice(0, 40))}`, async () => {
      const { heard, ended } = await say(port, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      expect({ statuses: statuses(heard), ended }).to.deep.equal({ statuses: [status], ended: true })
    })

  it('gets 400 behind another request as well', async () => {
    const { heard } = await say(port, `${head('GET /healthz')}\r\n\r\nG ET /healthz HTTP/1.1\r\n\r\n`)
    expect(statuses(heard).at(-1)).to.not.equal(405)
  })

  it('may have a target in absolute form', async () => {
    await say(port, `GET http://other/api/v1/things?x=http://y/z HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(paths).to.deep.equal(['/api/v1/things'])
  })

  it('is ignored behind a request that closes the connection, whose response continues', async () => {
    for (const behind of ['garbage', head('GET /healthz'), '\u0000'.repeat(100_000)]) {
      const { heard, ended } = await say(port, `${head('GET /api/v1/things', 'Connection: close')}\r\n\r\n${behind}`)
      expect({ statuses: statuses(heard), ended }).to.deep.equal({ statuses: [200], ended: true })
    }
  })
})

describe('pipelined requests', () => {
  let server: Server
  let port: number
  let begun = 0
  before(async () => {
    server = createServer(
      { maxHeaderSize: MAX_HEADER_BYTES },
      http1Listener((_req, res) => {
        begun++
        // Delayed, so that other requests wait behind it.
        void turns().then(() => 'end' in res && res.end())
      }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  beforeEach(() => {
    begun = 0
  })
  after(() => server.close())

  const requests = (count: number): string => `${head('GET /')}\r\n\r\n`.repeat(count)

  it('are served', async () => {
    const { heard } = await say(port, requests(MAX_PIPELINED + 1), MAX_PIPELINED + 1)
    expect(statuses(heard)).to.have.length(MAX_PIPELINED + 1)
  })

  it('are started when the response to the previous one is complete', async () => {
    let open = 0
    let most = 0
    const plain = createServer(
      http1Listener((_req, res) => {
        most = Math.max(most, ++open)
        void turns().then(() => {
          open--
          if ('end' in res) res.end()
        })
      }),
    ).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const { heard } = await say((plain.address() as AddressInfo).port, requests(20), 20)
    plain.close()
    expect([statuses(heard).length, most]).to.deep.equal([20, 1])
  })

  it('are served repeatedly', async () => {
    const socket = net.connect(port, '127.0.0.1')
    let heard = ''
    socket.setEncoding('latin1').on('data', (part: string) => {
      heard += part
    })
    for (let round = 1; round <= 4; round++) {
      socket.write(requests(40))
      while (statuses(heard).length < 40 * round) await once(socket, 'data')
    }
    socket.destroy()
  })

  it('close the connection if their heads are too long together', async () => {
    const long = `${head('GET /')}\r\n${fields(9, `a: ${'b'.repeat(60_000)}`)}\r\n`
    const { ended } = await say(port, requests(1) + long.repeat(3))
    expect(ended).to.equal(true)
    expect(begun).to.be.at.most(3)
  })

  it('close the connection if there are too many', async () => {
    const { ended } = await say(port, requests(100_000))
    expect(ended).to.equal(true)
    expect(begun).to.be.at.most(MAX_PIPELINED + 1)
  })

  it('are not parsed if there are too many', async () => {
    let read = 0
    const listener = http1Listener((_, res) => void res)
    const plain = createServer((req, res) => {
      read++
      listener(req, res)
    }).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const { ended } = await say((plain.address() as AddressInfo).port, requests(1000))
    expect(ended).to.equal(true)
    expect(read).to.be.at.most(MAX_PIPELINED + 3)
    plain.close()
  })
})

describe('an HTTP/1.1 request that costs more than its bytes', () => {
  let server: TestServer
  let port: number
  before(async () => {
    server = await startTestServer(exchange => exchange.sendBytes(403, 'text/plain', Buffer.from('no')))
    port = server.running.insecurePort ?? 0
  })
  after(() => server.close())

  const post = `${head('POST /api/v1/things', 'Transfer-Encoding: chunked')}\r\n\r\n`

  it('closes its connection if its body comes in many small chunks', async () => {
    expect((await say(port, post + '1\r\nx\r\n'.repeat(2000))).ended).to.equal(true)
  })

  it('closes its connection if the bodies of many requests come in small chunks', async () => {
    expect((await say(port, `${post}${'1\r\nx\r\n'.repeat(500)}0\r\n\r\n`.repeat(5))).ended).to.equal(true)
  })

  it('has the rest of its small chunks skipped, and leaves a parser that parses the next body', async () => {
    let chunks = 0
    const listener = http1Listener((req, res) => {
      const { push } = req
      Object.assign(req, {
        push(chunk: Buffer | null) {
          if (chunk !== null) chunks++
          return push.call(req, chunk)
        },
      })
      let body = ''
      req.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      req.once('end', () => 'end' in res && res.end(body))
    })
    const plain = createServer(listener).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const at = (plain.address() as AddressInfo).port
    expect((await say(at, post + '1\r\nx\r\n'.repeat(10_000))).ended).to.equal(true)
    // A few more are allowed each second.
    expect(chunks).to.be.within(IDLE_FRAMES.burst + EARNED.perRequest + 1, IDLE_FRAMES.burst + 10 * IDLE_FRAMES.perSecond)
    expect((await say(at, `${post}3\r\nabc\r\n0\r\n\r\n`, 1)).heard).to.match(/abc/)
    plain.close()
  })

  it('is served if its chunks are few or large', async () => {
    const large = `80\r\n${'x'.repeat(128)}\r\n`
    const { heard, ended } = await say(
      port,
      `${post}${'1\r\nx\r\n'.repeat(900)}${large.repeat(2000)}0\r\n\r\n${head('GET /healthz')}\r\n\r\n`,
      2,
    )
    expect({ statuses: statuses(heard), ended }).to.deep.equal({ statuses: [403, 200], ended: false })
  })

  for (const [what, path, status] of [
    ['a path that is long', `/api/v1/${'%00'.repeat(22_000)}`, 400],
    ['a query of many parameters', `/api/v1/things?${'a&'.repeat(40_000)}`, 400],
    ['many parameters that it does not understand', `/api/v1/things?${'dryRun&'.repeat(40_000)}`, 400],
    ['a query of as many as are read', `/api/v1/things?${'a&'.repeat(9_999)}`, 403],
  ] as const)
    it(`gets ${status}: ${what}`, async () => {
      expect(statuses((await say(port, `${head(`GET ${path}`)}\r\nConnection: close\r\n\r\n`)).heard)).to.deep.equal([status])
    })
})

describe('a connection without a request', () => {
  for (const [what, text] of [
    ['sends nothing', ''],
    ['sends half of a head', 'GET / HTTP/1.1\r\nHos'],
    ['sends half of a body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc'],
  ] as const)
    it(`is closed without a response: ${what}`, async () => {
      const server = createServer({ headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 30 }, () => {})
      server.on('clientError', answerInvalidRequest as (error: Error, socket: unknown) => void)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      expect(await say((server.address() as AddressInfo).port, text)).to.deep.equal({ heard: '', ended: true })
      server.close()
    })
})
