import type { Duplex } from 'node:stream'
import { errorCode } from '../lib/error-code.ts'
import { failure } from '../meta/status.ts'
import { answerUnderWay } from './answer-under-way.ts'
import { encodeStatusAsJson } from './status-body.ts'

const METHOD_NOT_ALLOWED = failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

/**
 * Answers what Node's HTTP/1.1 parser refuses, on the bare connection, and closes it. Methods that Node does not know are 405, as any other that nothing serves. A connection on which a request
 * does not come in time is closed without a word, as by net/http: nothing was asked.
 */
export function answerInvalidRequest(error: Error, socket: Duplex): void {
  // Nothing may be written into an answer, but behind it.
  const answer = answerUnderWay(socket)
  const code = errorCode(error)
  if (code === 'ECONNRESET' || code === 'ERR_HTTP_REQUEST_TIMEOUT' || !socket.writable || answer?.writableEnded === false) {
    socket.destroy()
    return
  }
  if (code === 'HPE_INVALID_METHOD') {
    const { contentType, bytes } = encodeStatusAsJson(METHOD_NOT_ALLOWED.status)
    socket.end(head('405 Method Not Allowed', contentType, bytes) + bytes.toString('latin1'))
    return
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const text = Buffer.from(status)
  socket.end(head(status, 'text/plain; charset=utf-8', text) + status)
}

const head = (status: string, contentType: string, body: Buffer): string =>
  `HTTP/1.1 ${status}\r\nCache-Control: no-cache, private\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
