import { EventEmitter, once } from 'node:events'
import http2 from 'node:http2'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import mocha, { type Context } from 'mocha'
import type { Exchange, StreamWriter } from '../../src/endpoints/exchange.ts'
import { SharedBytes } from '../../src/lib/shared-bytes.ts'
import { type Frame, FrameType } from '../../src/protocols/http2/frames.ts'
import type { Http2Stack } from '../../src/server/connections/http2-stacks.ts'
import { GET_HEALTHZ, openRawHttp2, type RawHttp2 } from '../support/raw-http2.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const END_STREAM = 1
const END_HEADERS = 4
const PROTOCOL_ERROR = 1
const INTERNAL_ERROR = 2
const FLOW_CONTROL_ERROR = 3
const STREAM_CLOSED = 5
const FRAME_SIZE_ERROR = 6
const REFUSED_STREAM = 7
const CANCEL = 8
const COMPRESSION_ERROR = 9
const ENHANCE_YOUR_CALM = 11

const isReset =
  (stream: number) =>
  (frame: Frame): boolean =>
    frame.type === FrameType.reset && frame.stream === stream
const isEnd =
  (stream: number) =>
  (frame: Frame): boolean =>
    frame.stream === stream && (frame.type === FrameType.data || frame.type === FrameType.headers) && (frame.flags & END_STREAM) !== 0
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A request to `/api/v1/things` with a body. */
const POST_THINGS = Buffer.concat([Buffer.from([0x83, 0x87, 0x04, 14]), Buffer.from('/api/v1/things'), Buffer.from([0x01, 1, 0x78])])

export interface Http2Side {
  readonly stack: Http2Stack
  /**
   * Whether a stream error affects only the stream, each error has its own code, and the connection is closed after it
   * was reported.
   */
  readonly strict: boolean
  /** Titles of what does not hold, and why. */
  readonly skipped: Readonly<Record<string, string>>
}

/** Contract of both HTTP/2 stacks, also with hostile clients. */
export const http2Conformance = ({ stack, strict, skipped }: Http2Side): Mocha.Suite =>
  describe(`a connection of HTTP/2 (--http2=${stack})`, () => {
    const it = (title: string, body: (this: Context) => Promise<void>): void => {
      const reason = skipped[title]
      if (reason === undefined) mocha.it(title, body)
      else mocha.it.skip(`${title} (${reason})`, body)
    }

    let server: TestServer
    let raw: RawHttp2
    /** Handler of the test. Health requests are served before it. */
    let handle: (exchange: Exchange) => Promise<void> = async () => {}
    const opened: RawHttp2[] = []
    const open = async (settings?: readonly (readonly [number, number])[], preface?: boolean): Promise<RawHttp2> => {
      raw = await openRawHttp2(server.running.securePort, settings, preface)
      opened.push(raw)
      return raw
    }
    const session = (): http2.ClientHttp2Session =>
      http2.connect(`https://127.0.0.1:${server.running.securePort}`, { ca: server.credentials.serverCa, ...server.credentials.admin })
    before(async () => {
      server = await startTestServer(exchange => handle(exchange), { http: { http2: stack } })
    })
    afterEach(() => {
      for (const each of opened.splice(0)) each.close()
    })
    after(() => server.close())

    const request = (stream: number, flags = END_STREAM | END_HEADERS): void => raw.send(FrameType.headers, flags, stream, GET_HEALTHZ)

    it('serves concurrent requests', async () => {
      await open()
      for (const stream of [1, 3, 5]) request(stream)
      for (const stream of [1, 3, 5]) expect((await raw.until(isEnd(stream))).payload.toString()).to.equal('ok')
    })

    it('sends no more data than the windows allow', async () => {
      const INITIAL_WINDOW_SIZE = 4
      await open([[INITIAL_WINDOW_SIZE, 1]])
      request(1)
      const first = await raw.until(({ type }) => type === FrameType.data)
      expect(first.payload.toString()).to.equal('o')
      request(3)
      // The other stream is not held up by it.
      await raw.until(({ type, stream }) => type === FrameType.data && stream === 3)
      expect(raw.frames.filter(({ type, stream }) => type === FrameType.data && stream === 1)).to.have.length(1)
      raw.send(FrameType.windowUpdate, 0, 1, uint32(1))
      expect((await raw.until(isEnd(1))).payload.toString()).to.equal('k')
    })

    it('sends pending data when new settings of the client enlarge all windows', async () => {
      await open([[4, 0]])
      request(1)
      await raw.until(({ type }) => type === FrameType.headers)
      raw.send(FrameType.settings, 0, 0, [0, 4, 0, 0, 0, 5])
      expect((await raw.until(isEnd(1))).payload.toString()).to.equal('ok')
    })

    it('interleaves the frames of large responses', async () => {
      handle = exchange => exchange.sendBytes(200, 'text/plain', Buffer.alloc(2 << 20, exchange.ctx.info.name))
      const client = session()
      const got = await Promise.all(
        ['a', 'b', 'c'].map(async name => {
          const stream = client.request({ ':path': `/api/v1/things/${name}` })
          let length = 0
          let ended = 0
          stream.on('data', (part: Buffer) => {
            expect(part.every(byte => byte === name.charCodeAt(0))).to.equal(true)
            length += part.length
            ended = performance.now()
          })
          await once(stream, 'end')
          return { length, ended }
        }),
      )
      client.close()
      expect(got.map(({ length }) => length)).to.eql([2 << 20, 2 << 20, 2 << 20])
    })

    it('buffers data that a slow client does not read without copying it', async () => {
      let writer: StreamWriter | undefined
      handle = async exchange => {
        writer = exchange.stream(200, 'text/plain')
        const gone = exchange.ctx.signal
        await new Promise(resolve => gone.addEventListener('abort', resolve))
      }
      const client = session()
      const stream = client.request({ ':path': '/api/v1/things?watch=1' })
      await once(stream, 'response')
      const shared = new SharedBytes([Buffer.alloc(600 * 1024, 97)])
      expect(writer?.write(shared)).to.equal(true)
      await sleep(50)
      // Its window of 64 KiB is full.
      expect(writer?.unwritten).to.be.within(500 * 1024, 600 * 1024)
      let drained = false
      const draining = writer?.drained().then(() => {
        drained = true
      })
      expect(drained).to.equal(false)
      stream.resume()
      await draining
      expect(writer?.unwritten).to.equal(0)
      stream.close(CANCEL)
      await once(stream, 'close')
      client.close()
    })

    it('reads bodies that are larger than the windows', async () => {
      handle = async exchange => exchange.sendBytes(200, 'text/plain', Buffer.from(String((await exchange.readBody(64 << 20)).length)))
      const body = Buffer.alloc(9 << 20, 97)
      expect((await server.http2('/api/v1/things', { method: 'POST', body })).body.toString()).to.equal(String(body.length))
      // The same number of bytes again: the window of the connection was restored after the first ones.
      expect((await server.http2('/api/v1/things', { method: 'POST', body })).body.toString()).to.equal(String(body.length))
    })

    it('reads many long bodies on one connection', async () => {
      handle = async exchange => exchange.sendBytes(200, 'text/plain', Buffer.from(String((await exchange.readBody(1 << 20)).length)))
      const client = session()
      for (let i = 0; i < 60; i++) {
        const stream = client.request({ ':path': '/api/v1/things', ':method': 'POST' }).setEncoding('utf8')
        stream.end(Buffer.alloc(900_000))
        expect(await text(stream)).to.equal('900000')
      }
      client.close()
    })

    it('restores the window of the connection if a handler does not read the body', async () => {
      handle = exchange => exchange.sendBytes(200, 'text/plain', Buffer.from('no'))
      const client = session()
      for (let i = 0; i < 40; i++) {
        const stream = client.request({ ':path': '/api/v1/things', ':method': 'POST' })
        stream.on('error', () => {})
        stream.end(Buffer.alloc(256 * 1024))
        expect((await once(stream, 'response'))[0][':status']).to.equal(200)
        stream.resume()
        await once(stream, 'close')
      }
      client.close()
    })

    it('restores the window of the connection for bodies that arrived and are never read', async () => {
      handle = async exchange => {
        await sleep(10)
        await exchange.sendBytes(200, 'text/plain', Buffer.from('no'))
      }
      const client = session()
      for (let i = 0; i < 40; i++) {
        const stream = client.request({ ':path': '/api/v1/things', ':method': 'POST' }).on('error', () => {})
        stream.end(Buffer.alloc(200 * 1024))
        await once(stream, 'response')
        stream.resume()
        await once(stream, 'close')
      }
      handle = async exchange => exchange.sendBytes(200, 'text/plain', Buffer.from(String((await exchange.readBody(64 << 20)).length)))
      const stream = client.request({ ':path': '/api/v1/things', ':method': 'POST' }).setEncoding('utf8')
      stream.end(Buffer.alloc(5 << 20))
      expect((await once(stream, 'data'))[0]).to.equal(String(5 << 20))
      client.close()
    })

    it('sends 100 Continue for a request with an Expect header', async () => {
      handle = async exchange => exchange.sendBytes(200, 'text/plain', await exchange.readBody(100))
      const client = session()
      const stream = client.request({ ':path': '/api/v1/things', ':method': 'POST', expect: '100-continue' }, { endStream: false })
      await once(stream, 'continue')
      stream.end('hello')
      stream.setEncoding('utf8')
      expect((await once(stream, 'data'))[0]).to.equal('hello')
      client.close()
    })

    it('sends headers that need several frames', async () => {
      handle = exchange => {
        for (const name of ['x-a', 'x-b']) exchange.setHeader(name, name.repeat(5000))
        return exchange.sendBytes(200, 'text/plain', Buffer.from('ok'))
      }
      const { headers, body } = await server.http2('/api/v1/things/x')
      expect(headers['x-b']).to.equal('x-b'.repeat(5000))
      expect(body.toString()).to.equal('ok')
    })

    it('serves requests that repeat an indexed header field up to a megabyte', async () => {
      await open()
      const field = Buffer.concat([Buffer.from('\x40\x01x\x7f\xa1\x1e', 'latin1'), Buffer.alloc(4000, 'y')])
      raw.send(FrameType.headers, END_STREAM | END_HEADERS, 1, Buffer.concat([GET_HEALTHZ, field]))
      await raw.until(isEnd(1))
      for (let stream = 3; stream < 20; stream += 2) {
        raw.send(FrameType.headers, END_STREAM | END_HEADERS, stream, Buffer.concat([GET_HEALTHZ, Buffer.alloc(255, 0xbe)]))
        expect((await raw.until(isEnd(stream))).payload.toString()).to.equal('ok')
      }
    })

    it('accepts trailers', async () => {
      handle = async exchange => exchange.sendBytes(200, 'text/plain', await exchange.readBody(100))
      const client = session()
      const stream = client.request({ ':path': '/api/v1/things', ':method': 'POST' }, { waitForTrailers: true, endStream: false })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'x-after': '1' }))
      stream.end('hello')
      stream.setEncoding('utf8')
      expect((await once(stream, 'data'))[0]).to.equal('hello')
      client.close()
    })

    it('aborts the handler when the client resets the stream, and when the connection is lost', async () => {
      const aborted: string[] = []
      handle = async exchange => {
        exchange.stream(200, 'text/plain')
        await new Promise<void>(resolve =>
          exchange.ctx.signal.addEventListener('abort', () => {
            aborted.push(exchange.path)
            resolve()
          }),
        )
      }
      const client = session()
      const streams = ['a', 'b'].map(name => client.request({ ':path': `/api/v1/${name}?watch=1` }).on('error', () => {}))
      await Promise.all(streams.map(stream => once(stream, 'response')))
      streams[0]?.close(CANCEL)
      while (aborted.length < 1) await sleep(5)
      expect(aborted).to.eql(['/api/v1/a'])
      client.destroy()
      while (aborted.length < 2) await sleep(5)
      expect(aborted[1]).to.equal('/api/v1/b')
    })

    it('replies to a ping, and rejects streams beyond its limit', async () => {
      handle = async exchange => {
        exchange.stream(200, 'text/plain')
        await new Promise(resolve => exchange.ctx.signal.addEventListener('abort', resolve))
      }
      const client = session()
      await once(client, 'remoteSettings')
      const watches = Array.from({ length: 1000 }, () => client.request({ ':path': '/api/v1/things?watch=1' }).on('error', () => {}))
      await Promise.all(watches.map(watch => once(watch, 'response')))
      const ping = new Promise(resolve =>
        client.ping(Buffer.alloc(8, 7), (_error, _ms, payload) => resolve(payload.equals(Buffer.alloc(8, 7)))),
      )
      expect(await ping).to.equal(true)
      client.destroy()
    })

    it('rejects a stream beyond its limit, and serves the open ones', async () => {
      await open([[4, 0]])
      for (let stream = 1; stream <= 2001; stream += 2) request(stream)
      expect((await raw.until(isReset(2001))).payload.readUInt32BE(0)).to.equal(REFUSED_STREAM)
      raw.send(FrameType.settings, 0, 0, [0, 4, 0, 0, 255, 255])
      await raw.until(isEnd(1999))
    })

    it('sends headers only in a response to HEAD', async () => {
      handle = exchange => exchange.sendBytes(200, 'text/plain', Buffer.from('hello'))
      const { status, headers, body } = await server.http2('/api/v1/things/x', { method: 'HEAD' })
      expect([status, headers['content-length'], body.length]).to.eql([200, '5', 0])
    })

    it('passes on a CONNECT request without opening a tunnel', async () => {
      handle = exchange => exchange.sendBytes(405, 'text/plain', Buffer.from(exchange.path))
      const client = session()
      const stream = client.request({ ':method': 'CONNECT', ':authority': 'a:1' }, { endStream: true })
      expect((await once(stream, 'response'))[0][':status']).to.equal(405)
      client.close()
    })

    it('resets a stream without an error if the client keeps sending after the response', async () => {
      await open()
      raw.send(FrameType.headers, END_HEADERS, 1, GET_HEALTHZ)
      await raw.until(isEnd(1))
      expect((await raw.until(isReset(1))).payload.readUInt32BE(0)).to.equal(0)
    })

    it('joins repeated headers, as over HTTP/1.1', async () => {
      handle = exchange => {
        exchange.setHeader('Warning', ['299 - "a"', '299 - "b"'])
        return exchange.sendBytes(
          200,
          'text/plain',
          Buffer.from(JSON.stringify([exchange.rawHeaders.filter(text => /^x-|^[12]$/.test(text)), exchange.headers['user-agent']])),
        )
      }
      const { headers, body } = await server.http2('/api/v1/things/x', { headers: { 'x-a': ['1', '2'], 'user-agent': 'me' } })
      expect(headers.warning).to.equal('299 - "a", 299 - "b"')
      expect(body.toString()).to.equal('[["x-a","1","x-a","2"],"me"]')
    })

    it('sends header bytes unchanged', async () => {
      handle = exchange => {
        exchange.setHeader('x-b', '\u00e4\u00ff')
        return exchange.sendBytes(200, 'text/plain', Buffer.from('ok'))
      }
      expect((await server.http2('/api/v1/things/x')).headers['x-b']).to.equal('\u00e4\u00ff')
    })

    it('sends no data of a cancelled response on another stream', async () => {
      handle = exchange => exchange.sendBytes(200, 'text/plain', Buffer.alloc(4 << 20, 97))
      const client = session()
      for (let i = 0; i < 20; i++) {
        const stream = client.request({ ':path': '/api/v1/things/x' }).on('error', () => {})
        await once(stream, 'data')
        stream.close(CANCEL)
      }
      const { body } = await askHealth(client)
      expect(body).to.equal('ok')
      client.close()
    })

    async function askHealth(client: http2.ClientHttp2Session): Promise<{ body: string }> {
      const stream = client.request({ ':path': '/healthz' }).setEncoding('utf8')
      let body = ''
      for await (const part of stream) body += part
      return { body }
    }

    describe('with an invalid stream', () => {
      const cases: readonly [string, number, () => void][] = [
        [
          'sends data after its end',
          STREAM_CLOSED,
          () => {
            raw.send(FrameType.headers, END_STREAM | END_HEADERS, 1, GET_HEALTHZ)
            raw.send(FrameType.data, 0, 1, [1])
          },
        ],
        [
          'widens its window beyond the maximum',
          FLOW_CONTROL_ERROR,
          () => {
            request(1, END_HEADERS)
            raw.send(FrameType.windowUpdate, 0, 1, uint32(1))
            raw.send(FrameType.windowUpdate, 0, 1, uint32(0x7fffffff))
          },
        ],
        [
          'widens its window by nothing',
          PROTOCOL_ERROR,
          () => {
            request(1, END_HEADERS)
            raw.send(FrameType.windowUpdate, 0, 1, uint32(0))
          },
        ],
        [
          'has a header in capitals',
          PROTOCOL_ERROR,
          () => raw.send(FrameType.headers, 5, 1, Buffer.concat([GET_HEALTHZ, Buffer.from([0, 1, 0x41, 1, 0x62])])),
        ],
        [
          'has a scheme of no server',
          PROTOCOL_ERROR,
          () => raw.send(FrameType.headers, 5, 1, Buffer.from('\x82\x06\x0ajavascript\x84', 'latin1')),
        ],
        ['has an invalid method', PROTOCOL_ERROR, () => raw.send(FrameType.headers, 5, 1, Buffer.from('\x02\x04G ET\x87\x84', 'latin1'))],
      ]
      for (const [what, code, act] of cases)
        it(`resets only the stream when the client ${what}`, async () => {
          await open([[4, 0]])
          act()
          if (!strict) {
            // Node 26 cuts the connection for some of them.
            await raw.until(frame => isReset(1)(frame) || frame.type === FrameType.goAway).catch(() => undefined)
            return
          }
          expect((await raw.until(isReset(1))).payload.readUInt32BE(0)).to.equal(code)
          raw.send(FrameType.settings, 0, 0, [0, 4, 0, 0, 255, 255])
          request(3)
          expect((await raw.until(isEnd(3))).payload.toString()).to.equal('ok')
        })
    })

    describe('with a client that violates the protocol', () => {
      const cases: readonly [string, number, () => void][] = [
        ['speaks of a stream that has not begun', PROTOCOL_ERROR, () => raw.send(FrameType.data, 0, 1, [1])],
        [
          'begins a stream again',
          STREAM_CLOSED,
          () => {
            request(3)
            request(1)
          },
        ],
        ['begins an even stream', PROTOCOL_ERROR, () => request(2)],
        ['pushes', PROTOCOL_ERROR, () => raw.send(FrameType.push, END_HEADERS, 1, [0, 0, 0, 2])],
        ['continues headers that have ended', PROTOCOL_ERROR, () => raw.send(FrameType.continuation, END_HEADERS, 1, [])],
        [
          'puts a ping between headers',
          PROTOCOL_ERROR,
          () => {
            request(1, END_STREAM)
            raw.send(FrameType.ping, 0, 0, Buffer.alloc(8))
          },
        ],
        ['has headers that can’t be decoded', COMPRESSION_ERROR, () => raw.send(FrameType.headers, 5, 1, [0x80])],
        [
          'changes the size of its header table three times in a block',
          COMPRESSION_ERROR,
          () => raw.send(FrameType.headers, 5, 1, Buffer.concat([Buffer.from([0x20, 0x20, 0x20]), GET_HEALTHZ])),
        ],
        ['sends a frame longer than was allowed', FRAME_SIZE_ERROR, () => raw.sendBytes(Buffer.from([0, 0x40, 1, 0, 0, 0, 0, 0, 1]))],
        ['pings with seven bytes', FRAME_SIZE_ERROR, () => raw.send(FrameType.ping, 0, 0, Buffer.alloc(7))],
        ['sets a window beyond the maximum', FLOW_CONTROL_ERROR, () => raw.send(FrameType.settings, 0, 0, [0, 4, 0x80, 0, 0, 0])],
        [
          'widens the connection’s window beyond the maximum',
          FLOW_CONTROL_ERROR,
          () => raw.send(FrameType.windowUpdate, 0, 0, uint32(0x7fffffff)),
        ],
        [
          'has more padding than data',
          PROTOCOL_ERROR,
          () => {
            request(1, END_HEADERS)
            raw.send(FrameType.data, 8, 1, [9, 1])
          },
        ],
        ['sends more than the connection’s window holds', FLOW_CONTROL_ERROR, () => fillWindow()],
        [
          'has headers without end',
          ENHANCE_YOUR_CALM,
          () => {
            request(1, END_STREAM)
            repeat(300, () => raw.send(FrameType.continuation, 0, 1, []))
          },
        ],
        [
          'has more headers than are taken',
          ENHANCE_YOUR_CALM,
          () => {
            request(1, END_STREAM)
            repeat(65, () => raw.send(FrameType.continuation, 0, 1, Buffer.alloc(16384)))
          },
        ],
        ['makes requests only to give them up', ENHANCE_YOUR_CALM, () => giveUp(3000)],
        ['sends many malformed requests', ENHANCE_YOUR_CALM, () => repeat(1100, n => raw.send(FrameType.headers, 5, 2 * n + 1, [0x82]))],
        ['opens more streams than allowed', ENHANCE_YOUR_CALM, () => repeat(2100, n => request(2 * n + 1))],
        [
          'has its streams reset by windows that grow by nothing',
          ENHANCE_YOUR_CALM,
          () =>
            repeat(1100, n => {
              raw.send(FrameType.headers, END_HEADERS, 2 * n + 1, POST_THINGS)
              raw.send(FrameType.windowUpdate, 0, 2 * n + 1, uint32(0))
            }),
        ],
        [
          'makes streams depend on themselves',
          ENHANCE_YOUR_CALM,
          () => repeat(1100, n => raw.send(FrameType.priority, 0, 2 * n + 1, Buffer.concat([uint32(2 * n + 1), Buffer.from([1])]))),
        ],
        ['sends many priorities', ENHANCE_YOUR_CALM, () => repeat(1100, () => raw.send(FrameType.priority, 0, 1, [0, 0, 0, 3, 1]))],
        ['sends many settings', ENHANCE_YOUR_CALM, () => repeat(1100, () => raw.send(FrameType.settings, 0, 0))],
        ['sends many frames of an unknown type', ENHANCE_YOUR_CALM, () => repeat(1100, () => raw.send(99, 0, 0))],
        [
          'widens a window for nothing that it got',
          ENHANCE_YOUR_CALM,
          () => repeat(1100, () => raw.send(FrameType.windowUpdate, 0, 0, uint32(1))),
        ],
        [
          'sends a body byte by byte',
          ENHANCE_YOUR_CALM,
          () => {
            handle = waits
            raw.send(FrameType.headers, END_HEADERS, 1, POST_THINGS)
            repeat(1100, () => raw.send(FrameType.data, 0, 1, [1]))
          },
        ],
        [
          'sends data to a stream that is over',
          ENHANCE_YOUR_CALM,
          () => {
            request(1)
            repeat(1100, () => raw.send(FrameType.data, 0, 1, [1]))
          },
        ],
        [
          'sends requests without reading',
          ENHANCE_YOUR_CALM,
          () => {
            raw.pause()
            repeat(400_000, () => raw.send(FrameType.ping, 0, 0, Buffer.alloc(8)))
          },
        ],
      ]
      const repeat = (count: number, act: (n: number) => void): void => {
        for (let i = 0; i < count; i++) act(i)
      }
      const waits = (exchange: Exchange): Promise<void> =>
        new Promise(resolve => exchange.ctx.signal.addEventListener('abort', () => resolve()))
      const giveUp = (count: number): void => {
        for (let i = 0; i < count; i++) {
          request(2 * i + 1)
          raw.send(FrameType.reset, 0, 2 * i + 1, uint32(CANCEL))
        }
      }
      const fillWindow = (): void => {
        handle = waits
        for (let stream = 1; stream <= 39; stream += 2) {
          raw.send(FrameType.headers, END_HEADERS, stream, POST_THINGS)
          repeat(16, () => raw.send(FrameType.data, 0, stream, Buffer.alloc(16384)))
        }
      }
      for (const [what, code, act] of cases)
        it(`is closed when the client ${what}`, async () => {
          await open([[4, 0]])
          act()
          await sleep(20)
          raw.resume()
          if (strict) expect(await raw.ended()).to.equal(code)
          else expect(await raw.toldOrCut()).to.not.equal(0)
        })

      it('is closed without the HTTP/2 preface', async () => {
        await open([], false)
        raw.sendBytes(Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
        expect(await raw.ended()).to.be.oneOf(strict ? [PROTOCOL_ERROR] : [PROTOCOL_ERROR, INTERNAL_ERROR])
      })
    })

    it('finishes open requests when the server stops, and accepts no new ones', async () => {
      const asked = new EventEmitter()
      const own = await startTestServer(
        async exchange => {
          asked.emit('begun')
          await once(asked, 'answer')
          await exchange.sendBytes(200, 'text/plain', Buffer.from('done'))
        },
        { http: { http2: stack } },
      )
      const client = http2.connect(`https://127.0.0.1:${own.running.securePort}`, {
        ca: own.credentials.serverCa,
        ...own.credentials.admin,
      })
      const begun = once(asked, 'begun')
      const stream = client.request({ ':path': '/api/v1/things/x' }).setEncoding('utf8')
      await begun
      const told = once(client, 'goaway')
      const stopped = own.running.stop(5000)
      expect((await told)[0]).to.equal(0)
      asked.emit('answer')
      expect((await once(stream, 'data'))[0]).to.equal('done')
      await once(client, 'close')
      await stopped
    })
  })
