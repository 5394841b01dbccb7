import { once } from 'node:events'
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { type CallFailure, callFailureOf, Status } from '../../../../src/protocols/grpc/call-failure.ts'
import type { ConnectionLimits } from '../../../../src/protocols/grpc/limits.ts'
import { MessageStream } from '../../../../src/protocols/grpc/message-stream.ts'
import { Flag, FrameType, frameOf, numbersFrame, Setting, settingsFrame } from '../../../../src/protocols/http2/frames.ts'
import { HostileGrpcServer } from '../../../support/hostile-grpc.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const PEER = { authority: 'localhost', secure: false, userAgent: 'test' }
const CALL = { method: '/a.B/Watch', metadata: { hasleader: 'true' } }

function prefixed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/** Messages until the end of the stream, and why it failed. */
async function drained(stream: MessageStream): Promise<{ messages: string[]; failure: CallFailure | undefined }> {
  const messages: string[] = []
  try {
    for await (const message of stream) messages.push(message.toString())
    return { messages, failure: undefined }
  } catch (error) {
    return { messages, failure: callFailureOf(error) }
  }
}

describe('a bidirectional stream of messages', () => {
  describe("with Node's HTTP/2 server", () => {
    let server: Http2Server
    let headers: IncomingHttpHeaders
    let peer: ServerHttp2Stream
    let stream: MessageStream

    beforeEach(async () => {
      server = createServer()
      const opened = new Promise<void>(resolve => {
        server.on('stream', (opening, given) => {
          headers = given
          peer = opening.on('error', () => {})
          peer.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
          resolve()
        })
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      await once(socket, 'connect')
      stream = new MessageStream(socket, PEER, CALL)
      await opened
    })
    afterEach(() => {
      stream.close()
      peer.destroy()
      server.close()
    })
    const end = (trailers: Record<string, string>): void => {
      peer.once('wantTrailers', () => peer.sendTrailers(trailers))
      peer.end()
    }

    it('is a request with metadata and without a time limit', () => {
      expect(headers[':path']).to.equal('/a.B/Watch')
      expect(headers.hasleader).to.equal('true')
      expect(headers['content-type']).to.equal('application/grpc')
      expect(headers['grpc-timeout']).to.equal(undefined)
    })

    it('ends the request with its last message', async () => {
      let came = Buffer.alloc(0)
      const ended = new Promise<void>(resolve =>
        peer.on('data', (bytes: Buffer) => (came = Buffer.concat([came, bytes]))).on('end', resolve),
      )
      stream.send(Buffer.alloc(100_000, 'a'), true)
      await ended
      expect(came.equals(prefixed(Buffer.alloc(100_000, 'a')))).to.equal(true)
      peer.write(prefixed(Buffer.from('answer')))
      end({ 'grpc-status': '0' })
      expect(await drained(stream)).to.deep.equal({ messages: ['answer'], failure: undefined })
    })

    it('sends messages of any length, and stays open', async () => {
      const sent = [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(300_000, 'b'), Buffer.from('c')]
      const wanted = Buffer.concat(sent.map(prefixed))
      let came = Buffer.alloc(0)
      let hasEnded = false
      peer.on('data', (bytes: Buffer) => (came = Buffer.concat([came, bytes]))).on('end', () => (hasEnded = true))
      for (const message of sent) {
        stream.send(message)
        if (message.length > 100_000) await eventually('it has come', () => came.length > message.length)
      }
      await eventually('all have come', () => came.length === wanted.length)
      expect(came.equals(wanted)).to.equal(true)
      await turns()
      expect(hasEnded).to.equal(false)
    })

    it('delivers messages in order, however they are split', async () => {
      const texts = Array.from({ length: 500 }, (_, i) => `${i} `.repeat(i % 7 === 0 ? 5000 : i % 5))
      const bytes = Buffer.concat(texts.map(text => prefixed(Buffer.from(text))))
      for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 3) % 20_000) peer.write(bytes.subarray(at, at + size))
      end({ 'grpc-status': '0' })
      const { messages, failure } = await drained(stream)
      expect(failure).to.equal(undefined)
      expect(messages).to.deep.equal(texts)
    })

    it("ends with the server's failure after the preceding messages", async () => {
      peer.write(prefixed(Buffer.from('a')))
      end({ 'grpc-status': '7', 'grpc-message': 'etcdserver: permission denied' })
      const { messages, failure } = await drained(stream)
      expect(messages).to.deep.equal(['a'])
      expect(failure).to.include({ code: Status.PERMISSION_DENIED, details: 'etcdserver: permission denied' })
    })

    it('fails if the connection is lost within a message', async () => {
      peer.write(prefixed(Buffer.from('a')).subarray(0, 5))
      peer.session?.destroy()
      expect((await drained(stream)).failure?.code).to.equal(Status.UNAVAILABLE)
    })

    it('applies backpressure while its reader is slow', async () => {
      const message = prefixed(Buffer.alloc(50_000, 'x'))
      const count = 2000
      let written = 0
      const write = (): void => {
        while (written < count) {
          written++
          if (!peer.write(message)) return void peer.once('drain', write)
        }
      }
      write()
      let before = -1
      await eventually('the server waits', async () => {
        const same = written === before
        before = written
        await new Promise(resolve => setTimeout(resolve, 100))
        return same
      })
      expect(written).to.be.below(count / 2)
      let came = 0
      for await (const { length } of stream) {
        expect(length).to.equal(50_000)
        if (++came === count) break
      }
      expect(came).to.equal(count)
    })

    it('ends for both sides when it is closed', async () => {
      peer.write(prefixed(Buffer.from('a')))
      const closed = once(peer.resume(), 'close')
      const messages = stream[Symbol.asyncIterator]()
      expect((await messages.next()).value?.toString()).to.equal('a')
      const next = messages.next().then(
        () => undefined,
        (error: unknown) => callFailureOf(error).code,
      )
      stream.close()
      expect(await next).to.equal(Status.CANCELLED)
      await closed
    })
  })

  describe('with a server that', () => {
    let server: HostileGrpcServer
    beforeEach(async () => {
      server = await HostileGrpcServer.start()
    })
    afterEach(() => server.close())

    async function opened(limits: Partial<ConnectionLimits> = {}): Promise<MessageStream> {
      const socket = connect(server.port, '127.0.0.1')
      await once(socket, 'connect')
      return new MessageStream(socket, PEER, CALL, limits)
    }
    const begun = (stream: number): Buffer => frameOf(FrameType.headers, Flag.endHeaders, stream, Buffer.from([0x88]))
    const QUICK = { quietMs: 100, signMs: 100 }

    it('is silent, fails when it does not respond to a ping', async () => {
      server.act = (socket, stream) => void socket.write(begun(stream))
      expect((await drained(await opened(QUICK))).failure?.message).to.equal('the server is silent')
    })

    it('only responds to pings, stays open', async () => {
      let pings = 0
      server.act = (socket: Socket, stream) => {
        socket.write(begun(stream))
        socket.on('data', bytes => {
          for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
            if (bytes[at + 3] !== FrameType.ping) continue
            socket.write(frameOf(FrameType.ping, Flag.ack, 0, bytes.subarray(at + 9, at + 17)))
            if (++pings === 3) socket.write(numbersFrame(FrameType.reset, stream, 8))
          }
        })
      }
      expect((await drained(await opened({ ...QUICK, signMs: 60_000 }))).failure?.code).to.equal(Status.CANCELLED)
      expect(pings).to.equal(3)
    })

    it('opens no window, fails once too many messages wait', async () => {
      server.greeting = settingsFrame([[Setting.initialWindowSize, 0]])
      server.act = () => {}
      const stream = await opened()
      const reading = drained(stream)
      await turns()
      for (let i = 0; i < 300; i++) stream.send(Buffer.alloc(1000))
      expect((await reading).failure?.message).to.equal('the server accepts no messages')
    })

    it('sends a message beyond the limit, fails', async () => {
      server.act = (socket, stream) =>
        void socket.write(Buffer.concat([begun(stream), frameOf(FrameType.data, 0, stream, prefixed(Buffer.alloc(1001)))]))
      expect((await drained(await opened({ maxMessageBytes: 1000 }))).failure?.code).to.equal(Status.RESOURCE_EXHAUSTED)
    })

    it('sends GOAWAY before the stream, fails as unsent', async () => {
      server.act = socket => void socket.write(numbersFrame(FrameType.goAway, 0, 0, 0))
      expect((await drained(await opened())).failure?.unsent).to.equal(true)
    })
  })
})
