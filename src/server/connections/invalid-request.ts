import type { Duplex } from 'node:stream'
import { errorCode } from '../../lib/error-code.ts'
import { failure } from '../../meta/status.ts'
import { currentResponse } from '../http/current-response.ts'
import { encodeStatusAsJson } from '../http/status-body.ts'

const METHOD_NOT_ALLOWED = failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/** A request line as net/http reads it. The method is a token (RFC 9110, section 9.1). */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ ]+ HTTP\/\d\.\d$/
/** Beginning of a request line that is incomplete. */
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(?: |$)/
/** Only the beginning of a longer line is checked. */
const MAX_LINE_BYTES = 8192

/**
 * Responds to requests that Node's HTTP/1.1 parser rejects, on the bare connection, and closes it. A method that Node
 * does not know gets 405, like any other that has no handler; an invalid method gets 400. If a request does not arrive
 * in time, the connection is closed without a response, as by net/http. Bytes behind a request that closes the
 * connection are ignored, and the response to it continues.
 */
export function answerInvalidRequest(error: Error, socket: Duplex): void {
  // A response that has begun must be complete before anything else is written.
  const answer = currentResponse(socket)
  const code = errorCode(error)
  if (code === 'HPE_CLOSED_CONNECTION' && answer !== undefined) return
  if (code === 'ECONNRESET' || code === 'ERR_HTTP_REQUEST_TIMEOUT' || !socket.writable || answer?.writableEnded === false) {
    socket.destroy()
    return
  }
  // The error is in the body of a request whose response is complete.
  if (answer?.req?.complete === false) {
    socket.end()
    return
  }
  if (code === 'HPE_INVALID_METHOD' && hasMethod(error)) {
    refuseMethod(socket)
    return
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const text = Buffer.from(status)
  socket.end(head(status, 'text/plain; charset=utf-8', text) + status)
}

const head = (status: string, contentType: string, body: Buffer): string =>
  `HTTP/1.1 ${status}\r\nCache-Control: no-cache, private\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`

function refuseMethod(socket: Duplex): void {
  const { contentType, bytes } = encodeStatusAsJson(METHOD_NOT_ALLOWED.status)
  socket.end(head('405 Method Not Allowed', contentType, bytes) + bytes.toString('latin1'))
}

/** Refuses CONNECT with 405. Node takes the connection of such a request out of HTTP. */
export function answerConnect(_req: unknown, socket: Duplex): void {
  socket.on('error', () => {})
  // The response to an earlier request is still being written.
  if (currentResponse(socket)) socket.destroy()
  else refuseMethod(socket.resume())
}

/** Reports whether the line that Node's parser failed on begins with a method, which it does not know. */
function hasMethod(error: Error): boolean {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined
  const at = 'bytesParsed' in error && typeof error.bytesParsed === 'number' ? error.bytesParsed : 0
  if (packet === undefined) return true
  const from = at === 0 ? 0 : packet.lastIndexOf('\n', at - 1) + 1
  const end = packet.indexOf('\n', from)
  const isWhole = end >= 0 && end - from <= MAX_LINE_BYTES
  const line = packet.toString('latin1', from, isWhole ? end : from + MAX_LINE_BYTES)
  return isWhole ? REQUEST_LINE.test(line.replace('\r', '')) : METHOD.test(line)
}
