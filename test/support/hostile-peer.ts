import { once } from 'node:events'
import { type AddressInfo, createServer as createPlain, type Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createServer as createSecure, TLSSocket, type TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'

/** Behaviour of a peer on a connection once it has read the head of a request. */
export type Behaviour = (socket: Duplex) => void

/**
 * More is never sent on one connection: a behaviour without an end fails its test by then, and does not fill the
 * memory.
 */
const MOST_BYTES = 256 << 20
const BLOCK_BYTES = 64 * 1024
const OK = 'HTTP/1.1 200 OK\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const CHUNKED = `${OK}${JSON_TYPE}Transfer-Encoding: chunked\r\n\r\n`
const HTML = `${OK}Content-Type: text/html\r\n`

/** Sends a text, and then another again and again, as fast as it is read, until the connection is closed. */
const endlessly =
  (first: string, again: string): Behaviour =>
  socket => {
    const block = Buffer.from(again.repeat(Math.max(1, Math.ceil(BLOCK_BYTES / again.length))), 'latin1')
    let sent = 0
    const more = (): void => {
      while (!socket.destroyed && sent < MOST_BYTES) {
        sent += block.length
        if (!socket.write(block)) {
          socket.once('drain', more)
          return
        }
      }
    }
    if (first !== '') socket.write(first, 'latin1')
    more()
  }

/** Sends bytes and ends. */
const sending =
  (...parts: readonly (string | Buffer)[]): Behaviour =>
  socket =>
    void socket.end(Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))))

/** A whole response with this body. */
export const answering = (body: string | Buffer, head = `${OK}${JSON_TYPE}`): Behaviour =>
  sending(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`, body)

/** Whatever is done in HTTP itself: it must end the request with an error, or break the response off. */
export const HOSTILE_PROTOCOL: Readonly<Record<string, Behaviour>> = {
  'endless 100 Continue': endlessly('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'endless 103 Early Hints': endlessly('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'),
  'informational responses with large heads': endlessly('', `HTTP/1.1 102 Processing\r\n${'a: b\r\n'.repeat(1000)}\r\n`),
  'endless header fields': endlessly(OK, 'a: b\r\n'),
  'a header of many megabytes': endlessly(`${OK}a: `, 'b'),
  'a reason phrase of many megabytes': endlessly('HTTP/1.1 200 ', 'x'),
  'chunks of one byte without end': endlessly(CHUNKED, '1\r\nx\r\n'),
  'a chunk extension of many megabytes': endlessly(`${CHUNKED}1;a=`, 'b'),
  'trailers without end': endlessly(`${CHUNKED}0\r\n`, 'a: b\r\n'),
  'a chunk length of many digits': endlessly(CHUNKED, '0'),
  'a body that is shorter than its length': sending(`${OK}${JSON_TYPE}Content-Length: 1000\r\n\r\n{}`),
  'two lengths': sending(`${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
  'a length of many digits': sending(`${OK}Content-Length: ${'9'.repeat(1000)}\r\n\r\n{}`),
  'nothing before its end': socket => void socket.end(),
  'a reset': socket => {
    // A connection of TLS has no such method that works.
    if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy()
    else socket.destroy()
  },
  'a reset amid the body': socket => {
    socket.write(`${OK}Content-Length: 1000\r\n\r\nx`)
    setImmediate(() => socket.destroy())
  },
  'another protocol': sending(Buffer.from([0, 1, 2, 3, 255, 254]), 'SSH-2.0-x\r\n'),
  'HTTP/2': sending(Buffer.from('000006040000000000000300000064', 'hex')),
}

/** Bodies of JSON that are hard to read: they end with an error, or are taken for what they say. */
export const HOSTILE_JSON: Readonly<Record<string, string>> = {
  'opening brackets': '['.repeat(900_000),
  'objects in objects': '{"a":'.repeat(180_000),
  'very many empty objects': `[${'{},'.repeat(300_000)}{}]`,
  'very many members': `{${Array.from({ length: 70_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
  'a member that is repeated in the depth': `${'{"a":'.repeat(9000)}{${'"x":1,'.repeat(50_000)}"x":1}${'}'.repeat(9000)}`,
  'a number of many digits': `{"a":${'9'.repeat(900_000)}}`,
  'a long string': `{"kind":"${'x'.repeat(900_000)}"}`,
  'a string of escapes': `{"kind":"${'\\u0041'.repeat(150_000)}"}`,
  spaces: ' '.repeat(900_000),
  'bytes that are no UTF-8': Buffer.alloc(900_000, 0xff).toString('latin1'),
}

/** Pages whose links are hard to rewrite. All are served. */
export const HOSTILE_PAGES: Readonly<Record<string, Behaviour>> = {
  '8 MiB of < in 8 KB of gzip': page('<', '', 8 << 20),
  'tags that do not end': page('<a '),
  'attributes without end': page('<a href=" '),
  'very many links': page('<a href=/>'),
  'very many links in one tag': page(' href=/', '<a '),
  'comments that do not end': page('<!--'),
  'gzip that breaks off': answering(gzipSync('<a href="/">'.repeat(1000)).subarray(0, 40), `${HTML}Content-Encoding: gzip\r\n`),
  'gzip of more than is changed': answering(gzipSync(Buffer.alloc(64 << 20)), `${HTML}Content-Encoding: gzip\r\n`),
}

function page(part: string, first = '', bytes = 1 << 20): Behaviour {
  const text = (first + part.repeat(Math.ceil(bytes / part.length))).slice(0, bytes)
  return answering(gzipSync(text), `${HTML}Content-Encoding: gzip\r\n`)
}

/** Behaviours that end only with the request: the peer sends nothing, or a byte now and then. */
export const HOSTILE_SILENCE: Readonly<Record<string, Behaviour>> = {
  'no answer': () => {},
  'half a head': socket => void socket.write(`${OK}Content-`),
  'a byte now and then': socket => {
    socket.write(CHUNKED)
    const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  },
}

/** A server at the other end of a request, of which each test says what it does. */
export class HostilePeer {
  act: Behaviour = socket => void socket.end()
  readonly sockets = new Set<Socket>()
  readonly #server: Server

  private constructor(tls: TlsOptions | undefined) {
    const serve = (socket: Socket): void => {
      this.sockets.add(socket)
      socket.once('close', () => this.sockets.delete(socket)).on('error', () => {})
      let head = ''
      const read = (bytes: Buffer): void => {
        head += bytes.toString('latin1')
        if (!head.includes('\r\n\r\n')) return
        socket.off('data', read).resume()
        this.act(socket)
      }
      socket.on('data', read)
    }
    this.#server = tls ? createSecure({ ...tls, ALPNProtocols: ['http/1.1'] }, serve).on('tlsClientError', () => {}) : createPlain(serve)
  }

  /** `tls`: optional. Omitted for plain TCP. */
  static async start(tls?: TlsOptions, host = '127.0.0.1'): Promise<HostilePeer> {
    const peer = new HostilePeer(tls)
    peer.#server.listen(0, host)
    await once(peer.#server, 'listening')
    return peer
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    for (const socket of this.sockets) socket.destroy()
  }
}
