import { once } from 'node:events'
import { createServer as createHttp2, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import type { CallFailure } from '../../../../src/protocols/grpc/call-failure.ts'
import { UnaryConnection } from '../../../../src/protocols/grpc/unary-connection.ts'
import { Flag, FrameType, frameOf, numbersFrame, settingsFrame } from '../../../../src/protocols/http2/frames.ts'
import { never, within } from '../../../support/backend.ts'
import { eventually } from '../../../support/waiting.ts'

const METHOD = '/etcdserverpb.KV/Txn'

/** The message with its prefix. */
const framed = (message: Buffer): Buffer => {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Returns the request as the response. */
async function echo(stream: ServerHttp2Stream): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  answer(stream, Buffer.concat(parts))
}

function answer(
  stream: ServerHttp2Stream,
  body: Buffer,
  trailers: Record<string, string> = { 'grpc-status': '0', 'grpc-message': '' },
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}

/** A frame's head, and eight bytes. */
const PING_BYTES = 17

type Told = { details: string } & Pick<CallFailure, 'code' | 'unsent'>

describe('a connection for unary calls', () => {
  const servers: (Http2Server | Server)[] = []
  const sockets: Socket[] = []

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    for (const server of servers.splice(0)) server.close()
  })

  async function connectionTo(
    server: Http2Server | Server,
    patience?: ConstructorParameters<typeof UnaryConnection>[2],
  ): Promise<UnaryConnection> {
    servers.push(server)
    server.on('connection', (socket: Socket) => sockets.push(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'connect')
    const connection = new UnaryConnection(socket, { authority: 'etcd.example:2379', secure: false, userAgent: 'test' }, patience)
    await eventually('the connection opens', () => connection.state !== 'opening')
    return connection
  }

  const served = (onStream: (stream: ServerHttp2Stream, headers: Record<string, unknown>) => void, settings = {}): Http2Server =>
    createHttp2({ settings }).on('stream', (stream, headers) =>
      onStream(
        stream.on('error', () => {}),
        headers,
      ),
    )

  const call = (connection: UnaryConnection, text: string | Buffer, timeoutMs = 60_000, signal = never): Promise<Buffer> => {
    const answer = connection.call(METHOD, Buffer.from(text), { signal, deadline: Date.now() + timeoutMs })
    if (answer === undefined) throw new Error('the connection declines')
    return answer
  }

  /** How a call fails. */
  const failure = (answer: Promise<Buffer>): Promise<Told> =>
    answer.then(
      message => expect.fail(`it was answered with ${message}`),
      ({ code, details, unsent }) => ({ code, details, ...(unsent && { unsent }) }),
    )

  it('sends concurrent calls as gRPC specifies', async () => {
    const seen: Record<string, unknown>[] = []
    const connection = await connectionTo(
      served((stream, headers) => {
        seen.push({ ...headers })
        void echo(stream)
      }),
    )
    expect((await call(connection, 'hello')).toString()).to.equal('hello')
    expect(seen[0]).to.deep.include({
      ':method': 'POST',
      ':scheme': 'http',
      ':path': METHOD,
      ':authority': 'etcd.example:2379',
      te: 'trailers',
      'content-type': 'application/grpc',
    })
    expect(seen[0]?.['grpc-timeout']).to.match(/^(5\d{4}|60000)m$/)
    const texts = Array.from({ length: 500 }, (_, i) => `${i} `.repeat(i))
    expect((await Promise.all(texts.map(text => call(connection, text)))).map(String)).to.deep.equal(texts)
    expect((await call(connection, '')).length).to.equal(0)
  })

  it('sends requests up to 32 KiB in one piece, even more than fit in a window', async () => {
    const connection = await connectionTo(served(stream => void echo(stream)))
    const longest = Buffer.alloc(32 * 1024 - 5, 'x')
    const answers = await Promise.all(Array.from({ length: 40 }, () => call(connection, longest)))
    for (const bytes of answers) expect(bytes.equals(longest)).to.equal(true)
  })

  it("sends longer requests within the server's windows, and other calls in between", async () => {
    const connection = await connectionTo(served(stream => void echo(stream)))
    const long = Buffer.alloc(3 << 20, 'long ')
    const [first, short, second] = await Promise.all([call(connection, long), call(connection, 'short'), call(connection, long)])
    expect([first.equals(long), short.toString(), second.equals(long)]).to.deep.equal([true, 'short', true])
  })

  it('sends requests beyond the initial stream window, even if settings change it', async () => {
    for (const initialWindowSize of [0, 100]) {
      const server = served(stream => void echo(stream), { initialWindowSize })
      if (initialWindowSize === 0) server.on('stream', stream => stream.session?.settings({ initialWindowSize: 50 }))
      const connection = await connectionTo(server)
      for (const length of [10, 95, 96, 1000, 20_000]) expect((await call(connection, 'x'.repeat(length))).length).to.equal(length)
    }
  })

  it('ends a long request on an early response, or at its deadline', async () => {
    const ends: number[] = []
    const server = served(stream => {
      stream.on('close', () => ends.push(stream.rstCode))
      answer(stream, framed(Buffer.from('early')))
    })
    const connection = await connectionTo(server)
    expect((await call(connection, Buffer.alloc(1 << 20))).toString()).to.equal('early')
    const silent = await connectionTo(served(stream => stream.on('close', () => ends.push(stream.rstCode))))
    expect((await failure(call(silent, Buffer.alloc(1 << 20), 100))).code).to.equal(4)
    await eventually('both have ended', () => ends.length === 2)
    expect(ends[1]).to.equal(8)
  })

  it('rejects messages beyond the limit, and continues', async () => {
    const connection = await connectionTo(
      served(stream => void echo(stream)),
      { maxMessageBytes: 100_000 },
    )
    const told = { code: 8, details: 'grpc: received message larger than max (100001 vs. 100000)' }
    expect(await failure(call(connection, Buffer.alloc(100_001)))).to.deep.equal(told)
    expect(await call(connection, Buffer.alloc(100_000))).to.have.length(100_000)
  })

  it('reads long responses beyond the connection window', async () => {
    const long = Buffer.alloc(3 << 20, 'long ')
    const connection = await connectionTo(served(stream => answer(stream, framed(long))))
    for (let i = 0; i < 4; i++) expect((await call(connection, 'x')).equals(long)).to.equal(true)
  })

  it('limits concurrent calls to those that the server accepts', async () => {
    let open = 0
    let most = 0
    const connection = await connectionTo(
      served(
        stream => {
          most = Math.max(most, ++open)
          stream.on('close', () => open--)
          void echo(stream)
        },
        { maxConcurrentStreams: 2 },
      ),
    )
    await Promise.all(Array.from({ length: 50 }, (_, i) => call(connection, String(i))))
    expect(most).to.equal(2)
  })

  it('reports the message of etcd for a failed call', async () => {
    const compacted = { 'grpc-status': '11', 'grpc-message': 'etcdserver: mvcc: required revision has been %22compacted%22' }
    const connection = await connectionTo(served(stream => stream.respond({ ':status': 200, ...compacted }, { endStream: true })))
    expect(await failure(call(connection, 'x'))).to.deep.equal({
      code: 11,
      details: 'etcdserver: mvcc: required revision has been "compacted"',
    })
  })

  const odd: [what: string, respond: (stream: ServerHttp2Stream) => void, told: Told][] = [
    [
      'that is not gRPC',
      stream => stream.respond({ ':status': 503 }, { endStream: true }),
      { code: 2, details: 'the response has no gRPC status, HTTP status 503' },
    ],
    [
      'without trailers',
      stream => {
        stream.respond({ ':status': 200 })
        stream.end('text')
      },
      { code: 2, details: 'the response has no gRPC status, HTTP status 200' },
    ],
    ['without a message', stream => answer(stream, Buffer.alloc(0)), { code: 13, details: 'the response is not a single message' }],
    [
      'of half a message',
      stream => answer(stream, framed(Buffer.from('hello')).subarray(0, 8)),
      { code: 13, details: 'the response is not a single message' },
    ],
    ['that is reset', stream => stream.close(2), { code: 13, details: 'the server ended the call with code 2' }],
    ['that is cancelled', stream => stream.close(8), { code: 1, details: 'the server ended the call with code 8' }],
    ['that is refused', stream => stream.close(7), { code: 14, details: 'the server refused the call', unsent: true }],
  ]
  for (const [what, respond, told] of odd)
    it(`fails a call with a response ${what}, and continues`, async () => {
      let first = true
      const connection = await connectionTo(
        served(stream => {
          if (!first) return void echo(stream)
          first = false
          respond(stream)
        }),
      )
      expect(await failure(call(connection, 'x'))).to.deep.equal(told)
      expect((await call(connection, 'again')).toString()).to.equal('again')
    })

  it('ends expired and aborted calls, and resets their streams', async () => {
    const resets: number[] = []
    const connection = await connectionTo(served(stream => stream.on('close', () => resets.push(stream.rstCode))))
    const aborter = new AbortController()
    const given = failure(call(connection, 'x', 5000, aborter.signal))
    const begun = performance.now()
    expect(await failure(call(connection, 'x', 100))).to.deep.equal({ code: 4, details: 'Deadline exceeded' })
    expect(performance.now() - begun).to.be.at.least(95)
    aborter.abort()
    expect(await within(500, 'the end', given)).to.deep.equal({ code: 1, details: 'Cancelled on client' })
    await eventually('both are reset', () => resets.length === 2)
    expect(resets).to.deep.equal([8, 8])
  })

  it('ends queued calls, sent or unsent', async () => {
    const connection = await connectionTo(served(() => {}, { maxConcurrentStreams: 1 }))
    const first = failure(call(connection, 'first'))
    expect((await failure(call(connection, 'late', 100))).code).to.equal(4)
    const waiting = failure(call(connection, 'waiting'))
    connection.close()
    expect(await first).to.deep.equal({ code: 14, details: 'the connection is closed' })
    expect(await waiting).to.deep.equal({ code: 14, details: 'the connection is closed', unsent: true })
    expect(connection.state).to.equal('closed')
    expect(connection.call(METHOD, Buffer.from('x'), { signal: never, deadline: Date.now() + 1000 })).to.equal(undefined)
  })

  it('fails calls in progress when the connection is lost', async () => {
    const connection = await connectionTo(served(stream => stream.session?.destroy()))
    expect(await failure(call(connection, 'x'))).to.deep.equal({ code: 14, details: 'Connection dropped' })
    expect(connection.state).to.equal('closed')
  })

  it('completes calls in progress after GOAWAY, and reports calls that were not begun as unsent', async () => {
    const streams: ServerHttp2Stream[] = []
    let session: ServerHttp2Session | undefined
    const server = served(stream => streams.push(stream)).on('session', opened => {
      session = opened
    })
    const connection = await connectionTo(server)
    const begun = call(connection, 'begun')
    const late = failure(call(connection, 'not begun'))
    await eventually('both have come', () => streams.length === 2)
    session?.goaway(0, streams[0]?.id)
    expect(await late).to.deep.equal({ code: 14, details: 'the server goes away', unsent: true })
    expect(connection.state).to.equal('ending')
    expect(connection.call(METHOD, Buffer.from('x'), { signal: never, deadline: Date.now() + 1000 })).to.equal(undefined)
    if (streams[0]) await echo(streams[0])
    expect((await begun).toString()).to.equal('begun')
    expect(connection.state).to.equal('closed')
  })

  /** A server that sends these bytes, once for the connection and once for the first call. */
  const scripted = (first: Buffer, then: Buffer): Server =>
    createServer(socket => {
      socket.on('error', () => {})
      socket.write(first)
      socket.on('data', bytes => {
        if (bytes.includes('KV/Txn')) socket.write(then)
      })
    })
  const SETTINGS = settingsFrame([])
  const OK = Buffer.concat([Buffer.from('88000b', 'hex'), Buffer.from('grpc-status'), Buffer.from('0130', 'hex')])
  const hello = framed(Buffer.from('hello'))

  it('assembles headers and messages from pieces, and ignores unknown frames', async () => {
    const pieces = Buffer.concat([
      frameOf(FrameType.headers, 0, 1, OK.subarray(0, 1)),
      frameOf(FrameType.continuation, Flag.endHeaders, 1, Buffer.alloc(0)),
      frameOf(99, 0, 1, Buffer.from('whatever')),
      frameOf(FrameType.ping, 0, 0, Buffer.alloc(8)),
      numbersFrame(FrameType.windowUpdate, 1, 1),
      frameOf(FrameType.data, Flag.padded, 1, Buffer.concat([Buffer.from([2]), hello.subarray(0, 3), Buffer.alloc(2)])),
      frameOf(FrameType.data, 0, 9, Buffer.from('of a call that is over')),
      frameOf(FrameType.data, 0, 1, hello.subarray(3)),
      frameOf(FrameType.headers, Flag.endStream, 1, OK.subarray(0, 5)),
      frameOf(FrameType.continuation, 0, 1, OK.subarray(5, 9)),
      frameOf(FrameType.continuation, Flag.endHeaders, 1, OK.subarray(9)),
    ])
    const connection = await connectionTo(scripted(SETTINGS, pieces))
    expect((await call(connection, 'x')).toString()).to.equal('hello')
  })

  const broken: [what: string, bytes: Buffer, details: string][] = [
    [
      'headers without an end',
      Buffer.concat([frameOf(FrameType.headers, 0, 1, OK), frameOf(FrameType.data, 0, 1, hello)]),
      'headers without an end',
    ],
    ['a continuation of nothing', frameOf(FrameType.continuation, 0, 1, OK), 'a continuation of nothing'],
    [
      'endless headers',
      Buffer.concat([frameOf(FrameType.headers, 0, 1, OK), ...Array(5).fill(frameOf(FrameType.continuation, 0, 1, Buffer.alloc(16_384)))]),
      'headers are too long',
    ],
    [
      'headers in very many pieces',
      Buffer.concat([frameOf(FrameType.headers, 0, 1, OK), ...Array(17).fill(frameOf(FrameType.continuation, 0, 1, Buffer.alloc(1)))]),
      'headers are too long',
    ],
    [
      'a message in very many pieces',
      Buffer.concat([
        frameOf(FrameType.headers, Flag.endHeaders, 1, OK),
        ...Array(65_537).fill(frameOf(FrameType.data, 0, 1, Buffer.alloc(0))),
      ]),
      'a message is in too many frames',
    ],
    ['a push', frameOf(FrameType.push, 0, 1, OK), 'a push that was not allowed'],
    ['half a reset', frameOf(FrameType.reset, 0, 1, Buffer.alloc(3)), 'a frame is too short'],
    [
      'headers of a table',
      frameOf(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, Buffer.from([0xbe])),
      'no field has the index 62',
    ],
  ]
  for (const [what, bytes, details] of broken)
    it(`is closed after ${what}`, async () => {
      const connection = await connectionTo(scripted(SETTINGS, bytes))
      expect(await failure(call(connection, 'x'))).to.deep.equal({ code: 14, details })
      expect(connection.state).to.equal('closed')
    })

  it('is closed if a call waits and the server stays silent despite a ping, not if it responds', async () => {
    const patience = { quietMs: 100, signMs: 100 }
    const silent = await connectionTo(scripted(SETTINGS, Buffer.alloc(0)), patience)
    const begun = performance.now()
    expect(await failure(call(silent, 'x'))).to.deep.equal({ code: 14, details: 'the server is silent' })
    expect(performance.now() - begun).to.be.at.least(190)
    let asked = 0
    const slow = await connectionTo(
      served(stream => {
        // Node's server responds to pings by itself. After a number of them it responds to the call, too.
        const read = stream.session!.socket
        const before = read.bytesRead
        void eventually('it is asked', () => read.bytesRead - before >= 3 * PING_BYTES).then(() => {
          asked = Math.floor((read.bytesRead - before) / PING_BYTES)
          return echo(stream)
        })
      }),
      patience,
    )
    expect((await call(slow, 'slow')).toString()).to.equal('slow')
    expect(asked).to.be.at.least(3)
  })
})
