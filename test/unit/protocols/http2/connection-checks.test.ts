import { once } from 'node:events'
import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { FrameType } from '../../../../src/protocols/http2/frames.ts'
import type { Http2Session } from '../../../../src/server/connections/http2-stacks.ts'
import { createSecurePort } from '../../../../src/server/connections/listeners.ts'
import { wireOf } from '../../../../src/server/http/any-http.ts'
import type { Wire } from '../../../../src/server/http/wire.ts'
import { issueCa, issueServing } from '../../../../src/server/tls/issue.ts'
import { ServingCertificates } from '../../../../src/server/tls/serving-certificates.ts'
import { HTTP2_STACKS } from '../../../support/http2-stacks.ts'
import { GET_HEALTHZ, openRawHttp2, type RawHttp2 } from '../../../support/raw-http2.ts'
import { turns } from '../../../support/waiting.ts'

const BODY = Buffer.alloc(1000)
const CANCEL = 8
const REFUSED = 7

for (const stack of HTTP2_STACKS)
  describe(`checks of an HTTP/2 connection (--http2=${stack})`, () => {
    let server: Server
    let raw: RawHttp2
    let connection: Http2Session
    let socket: TLSSocket
    /** Handler that sends the response. */
    let answer: (stream: Wire) => void = stream => stream.whole(200, [], BODY)
    before(async () => {
      const ca = await issueCa('ca')
      const { cert, key } = await issueServing(ca, 'server', { dns: ['localhost'], ips: ['127.0.0.1'] })
      server = createSecurePort(
        (_req, res) => {
          answer(wireOf(res))
        },
        { certificates: new ServingCertificates({ cert, key, clientCa: ca.cert }), http2: stack },
      )
      server.on('secured', (secured: TLSSocket, http2: Http2Session) => {
        socket = secured
        connection = http2
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    })
    const open = async (window: number): Promise<void> => {
      raw = await openRawHttp2((server.address() as AddressInfo).port, [[4, window]])
    }
    afterEach(() => {
      raw.close()
      socket.destroy()
    })
    after(() => void server.close())

    const look = (from: number, to: number): void => {
      for (let second = from; second <= to; second++) connection.check(second * 1000)
    }
    const ask = (stream: number): void => raw.send(FrameType.headers, 5, stream, GET_HEALTHZ)
    const headOf = (id: number) => raw.until(({ type, stream }) => type === FrameType.headers && stream === id)
    const resetOf = (id: number) => raw.until(({ type, stream }) => type === FrameType.reset && stream === id)

    it('reset a response that is not read, and no other', async () => {
      await open(0)
      ask(1)
      await headOf(1)
      expect([connection.heldBytes, connection.isWaiting, connection.open]).to.deep.equal([BODY.length, true, 1])
      look(1, 61)
      expect(connection.open).to.equal(1)
      ask(3)
      await headOf(3)
      look(62, 62)
      expect((await resetOf(1)).payload.readUInt32BE(0)).to.equal(CANCEL)
      expect([connection.open, connection.heldBytes]).to.deep.equal([1, BODY.length])
    })

    it('limit the bytes of heads of open requests, and reject further streams', async () => {
      await open(0)
      const field = Buffer.from([0x10, 1, 0x61, 0x7f, 0xe1, 0x5c, ...Buffer.alloc(12_000, 0x62)])
      const block = Buffer.concat([GET_HEALTHZ, field])
      for (let stream = 1; stream < 1000; stream += 2) raw.send(FrameType.headers, 5, stream, block)
      const refused = await raw.until(({ type }) => type === FrameType.reset)
      expect(refused.payload.readUInt32BE(0)).to.equal(REFUSED)
      expect(connection.heldBytes).to.be.within(4_000_000, 4.5 * 1024 * 1024)
    })

    it('keep a response that is read, however slowly', async function () {
      // Node reports no progress within a write.
      if (stack === 'builtin') this.skip()
      await open(0)
      ask(1)
      await headOf(1)
      for (let n = 0; n < 3; n++) {
        look(50 * n + 1, 50 * n + 50)
        raw.send(FrameType.windowUpdate, 0, 1, [0, 0, 0, 1])
        const had = raw.frames.length
        await raw.until(frame => raw.frames.indexOf(frame) >= had && frame.type === FrameType.data)
      }
      look(151, 200)
      expect(connection.open).to.equal(1)
    })

    it('keep an unfinished response longer, but not forever', async () => {
      answer = stream => {
        stream.head(200, [], undefined)
        stream.write(BODY)
      }
      await open(0)
      ask(1)
      await headOf(1)
      look(1, 900)
      expect(connection.open).to.equal(1)
      look(901, 903)
      await resetOf(1)
      answer = stream => stream.whole(200, [], BODY)
    })

    it('close it soon after GOAWAY, whether or not the client closes it', async () => {
      await open(65_535)
      ask(1)
      await headOf(1)
      raw.pause()
      look(1, 92)
      await turns()
      expect(socket.destroyed).to.equal(false)
      look(93, 95)
      if (!socket.destroyed) await once(socket, 'close')
      raw.resume()
      await raw.until(({ type }) => type === FrameType.goAway)
    })
  })
