import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { MAX_HEADERS } from '../limits.ts'

/**
 * Limits the header fields of a request. Node drops the fields beyond its limit silently, and without a limit it takes
 * quadratic time. The limit is one more than the server accepts, so that a request with too many fields is recognized
 * and refused.
 */
export function limitFields(server: Server): void {
  server.maxHeadersCount = MAX_HEADERS + 1
}

const TRANSFER_ENCODING = 'transfer-encoding'

/** Characters that Go allows in a Host header. */
const HOST = /^[\w!$%&'()*+,.:;=[\]~-]*$/

/**
 * Returns the status with which Go's server refuses a request for its version and header fields: too many fields, no
 * single valid host, or a transfer coding other than `chunked`. Undefined if it accepts the request. HTTP/1.0 has no
 * transfer codings (RFC 9112, section 6.1): a proxy in front might see another end of the body.
 */
export function faultOfFields({
  rawHeaders,
  httpVersionMajor,
  httpVersionMinor,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersionMajor' | 'httpVersionMinor'>): string | undefined {
  if (httpVersionMajor !== 1) return '505 HTTP Version Not Supported: unsupported protocol version'
  if (rawHeaders.length > 2 * MAX_HEADERS) return '431 Request Header Fields Too Large'
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === TRANSFER_ENCODING.length && name.toLowerCase() === TRANSFER_ENCODING) {
      if (httpVersionMinor === 0) return '400 Bad Request'
      if (rawHeaders[i + 1]?.toLowerCase() !== 'chunked') return '501 Not Implemented'
    }
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return '400 Bad Request'
    host = rawHeaders[i + 1] ?? ''
  }
  if (host === undefined) return httpVersionMinor === 0 ? undefined : '400 Bad Request: missing required Host header'
  return HOST.test(host) ? undefined : '400 Bad Request: malformed Host header'
}

const HEADERS = { 'Cache-Control': 'no-cache, private', 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }

/** Refuses a request with a status of `faultOfFields`. */
export const answerFault = (res: ServerResponse, fault: string): void =>
  void res.writeHead(Number(fault.slice(0, 3)), fault.slice(4), { ...HEADERS, 'Content-Length': fault.length }).end(fault)

/** Refuses a request whose connection Node's HTTP has released, as after an upgrade. */
export function refuseFault(socket: Duplex, fault: string): void {
  const head = Object.entries({ ...HEADERS, 'Content-Length': fault.length }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on('error', () => {}).resume()
  socket.end(`HTTP/1.1 ${fault}\r\n${head.join('')}\r\n${fault}`)
}
