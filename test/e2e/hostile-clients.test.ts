import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { FrameType, frameOf, PREFACE, settingsFrame } from '../../src/protocols/http2/frames.ts'
import { HTTP2_STACKS } from '../support/http2-stacks.ts'
import { GET_HEALTHZ } from '../support/raw-http2.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { timeBound } from '../support/time-bounds.ts'

const CONNECTIONS = 6
const FRAMES = 30_000
const HEAP_MB = 128
const RESIDENT_MB = 300
/** The most processor time of the server that another client waits. */
const WAIT_MS = timeBound(500)
/** How long a flood is watched: its connections are cut in the first turns. */
const WATCHED_MS = 800

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const odd = (n: number): number => 2 * n + 1
const HEAD_HEALTHZ = Buffer.concat([Buffer.from([0x02, 4]), Buffer.from('HEAD'), GET_HEALTHZ.subarray(1)])
const POST_HEALTHZ = Buffer.concat([Buffer.from([0x83]), GET_HEALTHZ.subarray(1)])

/** Frames of an anonymous client that never reads, one or two for each number. */
const floods: Readonly<Record<string, (n: number) => readonly Buffer[]>> = {
  'priorities of streams that depend on themselves': n => [
    frameOf(FrameType.priority, 0, odd(n), Buffer.concat([uint32(odd(n)), Buffer.from([1])])),
  ],
  'requests beyond the limit of streams': n => [frameOf(FrameType.headers, 5, odd(n), GET_HEALTHZ)],
  'requests of heads': n => [frameOf(FrameType.headers, 5, odd(n), HEAD_HEALTHZ)],
  'requests that are given up': n => [frameOf(FrameType.headers, 5, odd(n), GET_HEALTHZ), frameOf(FrameType.reset, 0, odd(n), uint32(8))],
  'windows that grow by nothing': n => [
    frameOf(FrameType.headers, 4, odd(n), POST_HEALTHZ),
    frameOf(FrameType.windowUpdate, 0, odd(n), uint32(0)),
  ],
  'malformed requests': n => [frameOf(FrameType.headers, 5, odd(n), Buffer.from([0x82]))],
  pings: () => [frameOf(FrameType.ping, 0, 0, Buffer.alloc(8))],
  settings: () => [settingsFrame([[4, 0]])],
  'bodies in frames of a byte': n =>
    n === 0 ? [frameOf(FrameType.headers, 4, 1, POST_HEALTHZ)] : [frameOf(FrameType.data, 0, 1, Buffer.from([1]))],
  'heads in frames of nothing': n => [
    frameOf(n === 0 ? FrameType.headers : FrameType.continuation, 0, 1, n === 0 ? GET_HEALTHZ : Buffer.alloc(0)),
  ],
}

const HTTP1_CONNECTIONS = 20
const POST_CHUNKED = 'POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
const fields = (count: number): string => Array.from({ length: count }, (_, n) => `a${n}: b\r\n`).join('')

const http1Floods: Readonly<Record<string, string>> = {
  'requests in a row': 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100_000),
  'bodies in chunks of a byte': `${POST_CHUNKED}${'1\r\nx\r\n'.repeat(990)}0\r\n\r\n`.repeat(60),
  'bodies in small chunks': POST_CHUNKED + `40\r\n${'x'.repeat(64)}\r\n`.repeat(30_000),
  'very many fields': `GET /healthz HTTP/1.1\r\nHost: a\r\n${fields(1900)}\r\n`.repeat(60),
  'very many trailers': `${POST_CHUNKED}0\r\n${fields(1900)}\r\n`.repeat(60),
}

for (const http2 of HTTP2_STACKS)
  describe(`hostile clients without credentials (--http2=${http2})`, () => {
    let server: ServerProcess
    before(async () => {
      const had = process.env.NODE_OPTIONS
      process.env.NODE_OPTIONS = `--max-old-space-size=${HEAP_MB}`
      try {
        server = await createServerProcess([`--http2=${http2}`])
        await server.start()
      } finally {
        if (had === undefined) delete process.env.NODE_OPTIONS
        else process.env.NODE_OPTIONS = had
      }
    })
    after(() => server?.stop())

    const openHttp2 = async (): Promise<TLSSocket> => {
      const { hostname, port } = new URL(server.secureUrl)
      const socket = connect({ host: hostname, port: Number(port), ALPNProtocols: ['h2'], rejectUnauthorized: false }).on('error', () => {})
      await once(socket, 'secureConnect')
      socket.pause()
      socket.write(Buffer.concat([PREFACE, settingsFrame([[4, 0]])]))
      return socket
    }

    /**
     * Requests health until `done`. Returns the maximum processor time of the server before a response, and the maximum
     * memory.
     */
    async function watchOver(done: Promise<unknown>): Promise<{ wait: number; resident: number }> {
      let over = false
      void done.finally(() => {
        over = true
      })
      let wait = 0
      let resident = 0
      while (!over) {
        const begun = server.processorMs()
        const answer = await fetch(`${server.url}/healthz`)
        expect(await answer.text()).to.equal('ok')
        wait = Math.max(wait, server.processorMs() - begun)
        resident = Math.max(resident, server.residentMegabytes())
        await sleep(5)
      }
      return { wait, resident }
    }

    for (const [what, flood] of Object.entries(floods))
      it(`delay no other client and use little memory with ${what}`, async () => {
        const bytes = Buffer.concat(Array.from({ length: FRAMES }, (_, n) => flood(n)).flat())
        const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, openHttp2))
        for (const socket of sockets) socket.write(bytes)
        const { wait, resident } = await watchOver(sleep(WATCHED_MS))
        for (const socket of sockets) socket.destroy()
        expect(resident).to.be.below(RESIDENT_MB)
        expect(wait).to.be.below(WAIT_MS)
      })

    if (http2 === 'own')
      for (const [what, bytes] of Object.entries(http1Floods))
        it(`delay no other client and use little memory with ${what} over HTTP/1.1`, async () => {
          const { hostname, port } = new URL(server.secureUrl)
          const begun = Array.from({ length: HTTP1_CONNECTIONS }, () =>
            connect({ host: hostname, port: Number(port), ALPNProtocols: ['http/1.1'], rejectUnauthorized: false }).on('error', () => {}),
          )
          await Promise.all(begun.map(socket => once(socket, 'secureConnect')))
          for (const socket of begun) socket.pause().write(bytes)
          const { wait, resident } = await watchOver(sleep(WATCHED_MS))
          for (const socket of begun) socket.destroy()
          expect(resident).to.be.below(RESIDENT_MB)
          expect(wait).to.be.below(WAIT_MS)
        })
  })
