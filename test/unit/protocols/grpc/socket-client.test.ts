import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { createServer as createPlain } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorMessage } from '../../../../src/lib/error-message.ts'
import { SocketCallError, SocketClient } from '../../../../src/protocols/grpc/socket-client.ts'
import { startGrpcServer } from '../../../support/grpc-server.ts'
import { eventually } from '../../../support/waiting.ts'

const MESSAGES = `
  syntax = "proto3";
  package test;
  message Text { bytes text = 1; }
`
const METHOD = '/test.Echo/Say'
/** A message with one field of bytes. */
function text(bytes: Buffer): Buffer {
  const head = [0x0a]
  let rest = bytes.length
  for (; rest >= 128; rest >>= 7) head.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([...head, rest]), bytes])
}
const same = (bytes: Buffer): Buffer => bytes
const NEVER_MS = 60_000
const SOON_MS = 150

describe('SocketClient', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sockets-'))
  const closing: (() => unknown)[] = []
  let count = 0
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })
  after(() => rmSync(folder, { recursive: true }))

  const newPath = (): string => join(folder, `${count++}.sock`)
  /** Calls that were observed: the method and the status. */
  let observed: string[]
  function clientOf(path: string, maxResponseBytes = 1 << 20): SocketClient {
    observed = []
    const client = new SocketClient({ path, maxResponseBytes, observer: (method, _, status) => observed.push(`${method} ${status}`) })
    closing.push(() => client.close())
    return client
  }
  async function echo(path: string): Promise<() => void> {
    const say = {
      request: 'test.Text',
      response: 'test.Text',
      answer: (request: { text?: Buffer }) => ({ text: request.text ?? Buffer.alloc(0) }),
    }
    const server = await startGrpcServer(path, { messages: MESSAGES, name: 'test.Echo', methods: { Say: say } })
    closing.push(() => server.close())
    return () => server.close()
  }
  /** Starts a server with a handler for each call. */
  async function served(path: string, onStream: (stream: ServerHttp2Stream) => void): Promise<Http2Server> {
    const server = createServer()
    const sessions = new Set<ServerHttp2Session>()
    server.on('session', session => sessions.add(session)).on('stream', stream => onStream(stream.on('error', () => {})))
    server.listen(path)
    await once(server, 'listening')
    closing.push(() => {
      server.close()
      for (const session of sessions) session.destroy()
    })
    return server
  }
  const said = (called: Promise<unknown>): Promise<string> => called.then(() => 'a response', errorMessage)
  const LATE = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded'

  it('calls a gRPC server, with requests and responses of any length', async () => {
    const path = newPath()
    await echo(path)
    const client = clientOf(path)
    const lengths = [0, 1, 10_000, 34 * 1024, 100_000, 1_000_000]
    const answers = await Promise.all(lengths.map(length => client.call(METHOD, text(Buffer.alloc(length, 'x')), NEVER_MS, same)))
    expect(answers.map(answer => answer.length)).to.deep.equal(
      lengths.map(length => (length === 0 ? 0 : text(Buffer.alloc(length)).length)),
    )
    expect(observed).to.deep.equal(lengths.map(() => `${METHOD} OK`))
  })

  it('calls a server on an abstract socket', async function () {
    if (process.platform !== 'linux') this.skip()
    const name = `binnacle-${process.pid}-${Date.now()}`
    await served(`\0${name}`, stream => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.alloc(5))
    })
    expect(await clientOf(`@${name}`).call(METHOD, Buffer.alloc(0), NEVER_MS, same)).to.have.length(0)
  })

  it('waits for a missing server, each call until its deadline', async () => {
    const path = newPath()
    const client = clientOf(path)
    const late = said(client.call(METHOD, Buffer.alloc(0), SOON_MS, same))
    const patient = client.call(METHOD, text(Buffer.from('hello')), NEVER_MS, same)
    expect(await late).to.equal(LATE)
    await echo(path)
    expect((await patient).toString()).to.contain('hello')
  })

  it('waits for a server that accepts connections and sends nothing', async () => {
    const path = newPath()
    const mute = createPlain(socket => socket.on('error', () => {}).resume()).listen(path)
    closing.push(() => mute.close())
    await once(mute, 'listening')
    expect(await said(clientOf(path).call(METHOD, Buffer.alloc(0), SOON_MS, same))).to.equal(LATE)
  })

  it('reconnects to a server that restarted', async () => {
    const path = newPath()
    const close = await echo(path)
    const client = clientOf(path)
    await client.call(METHOD, Buffer.alloc(0), NEVER_MS, same)
    close()
    await echo(path)
    await eventually('it answers again', async () => (await said(client.call(METHOD, Buffer.alloc(0), NEVER_MS, same))) === 'a response')
  })

  it('repeats a call that the server has not started', async () => {
    const path = newPath()
    let calls = 0
    await served(path, stream => {
      if (calls++ === 0) return stream.close(7)
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      return stream.end(Buffer.alloc(5))
    })
    expect(await clientOf(path).call(METHOD, Buffer.alloc(0), NEVER_MS, same)).to.have.length(0)
    expect([calls, observed]).to.deep.equal([2, [`${METHOD} OK`]])
  })

  it('does not repeat a call during which the connection is lost', async () => {
    const path = newPath()
    let calls = 0
    await served(path, stream => {
      calls++
      stream.session?.destroy()
    })
    expect(await said(clientOf(path).call(METHOD, Buffer.alloc(0), NEVER_MS, same))).to.equal(
      'rpc error: code = Unavailable desc = Connection dropped',
    )
    expect([calls, observed]).to.deep.equal([1, [`${METHOD} Unavailable`]])
  })

  const failures: [what: string, trailers: Record<string, string>, text: string][] = [
    ['by its name', { 'grpc-status': '7', 'grpc-message': 'go%20away' }, 'rpc error: code = PermissionDenied desc = go away'],
    ['that gRPC does not have as unknown', { 'grpc-status': '99' }, 'rpc error: code = Unknown desc = '],
    ['with an invalid code as unknown', { 'grpc-status': '-1' }, 'rpc error: code = Unknown desc = the status of gRPC is not a number'],
  ]
  for (const [what, trailers, told] of failures)
    it(`reports a status ${what}`, async () => {
      const path = newPath()
      await served(path, stream => stream.respond({ ':status': 200, ...trailers }, { endStream: true }))
      const error = await clientOf(path)
        .call(METHOD, Buffer.alloc(0), NEVER_MS, same)
        .catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(SocketCallError).with.property('message', told)
    })

  it('reports a response that is too long, or cannot be decoded', async () => {
    const path = newPath()
    await echo(path)
    const client = clientOf(path, 100)
    expect(await said(client.call(METHOD, text(Buffer.alloc(99)), NEVER_MS, same))).to.equal(
      'rpc error: code = ResourceExhausted desc = grpc: received message larger than max (101 vs. 100)',
    )
    const fails = (): never => {
      throw new RangeError('index out of range')
    }
    expect(await said(client.call(METHOD, Buffer.alloc(0), NEVER_MS, fails))).to.equal(
      'rpc error: code = Internal desc = grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data',
    )
    expect(observed).to.deep.equal([`${METHOD} ResourceExhausted`, `${METHOD} Internal`])
  })

  it('stops waiting once it is closed, whatever the path', async () => {
    for (const path of [newPath(), join(folder, 'x'.repeat(5000))]) {
      const client = clientOf(path)
      const called = said(client.call(METHOD, Buffer.alloc(0), NEVER_MS, same))
      expect(await said(client.call(METHOD, Buffer.alloc(0), SOON_MS, same))).to.equal(LATE)
      client.close()
      expect(await called).to.equal('rpc error: code = Canceled desc = grpc: the client connection is closing')
      expect(await said(client.call(METHOD, Buffer.alloc(0), NEVER_MS, same))).to.contain('Canceled')
    }
  })
})
