import type { CallFailure } from '../errors.ts'
import { CODE, FLAG, FRAME, HEAD_BYTES, MAX_PAYLOAD, writeHead } from './frames.ts'
import { INDEXED, literal, NAME, readHeaders } from './header-block.ts'

/** One request and one answer of gRPC over HTTP/2. Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */

/** Statuses of gRPC that are told from here. */
const STATUS = { CANCELLED: 1, UNKNOWN: 2, DEADLINE_EXCEEDED: 4, INTERNAL: 13, UNAVAILABLE: 14 } as const

/** A byte that tells whether the message is compressed, which none is, and its length. */
export const PREFIX_BYTES = 5
const TIMEOUT = literal('grpc-timeout', '').subarray(0, -1)
/** Of eight digits, as many as there may be. */
const LONGEST_TIMEOUT = 99_999_999

/** What the headers of all requests of a method have in common. */
export function requestHead(method: string, authority: string, secure: boolean): Buffer {
  return Buffer.concat([
    Buffer.from([INDEXED.POST, secure ? INDEXED.HTTPS : INDEXED.HTTP]),
    literal(NAME.PATH, method),
    literal(NAME.AUTHORITY, authority),
    literal('te', 'trailers'),
    literal('content-type', 'application/grpc'),
    literal(NAME.USER_AGENT, 'binnacle'),
  ])
}

/** All frames of a request, in one buffer. `timeoutMs`: after which the server gives up, too. */
export function requestFrames(head: Buffer, timeoutMs: number, stream: number, message: Buffer): Buffer {
  const timeout = `${Math.min(LONGEST_TIMEOUT, Math.max(1, Math.ceil(timeoutMs)))}m`
  const headers = head.length + TIMEOUT.length + 1 + timeout.length
  const body = PREFIX_BYTES + message.length
  const parts = Math.ceil(body / MAX_PAYLOAD)
  const out = Buffer.allocUnsafe(HEAD_BYTES + headers + parts * HEAD_BYTES + body)
  let at = writeHead(out, 0, headers, FRAME.HEADERS, FLAG.END_HEADERS, stream)
  at += head.copy(out, at)
  at += TIMEOUT.copy(out, at)
  out[at++] = timeout.length
  at += out.write(timeout, at, 'latin1')
  for (let sent = 0; sent < body; ) {
    const size = Math.min(MAX_PAYLOAD, body - sent)
    at = writeHead(out, at, size, FRAME.DATA, sent + size === body ? FLAG.END_STREAM : 0, stream)
    if (sent === 0) {
      out[at++] = 0
      at = out.writeUInt32BE(message.length, at)
    }
    at += message.copy(out, at, Math.max(0, sent - PREFIX_BYTES), sent - PREFIX_BYTES + size)
    sent += size
  }
  return out
}

/** The message of the DATA of an answer; undefined where that is not one whole message. */
export function messageOf(parts: readonly Buffer[]): Buffer | undefined {
  const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  if (body.length < PREFIX_BYTES || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX_BYTES) return undefined
  return body.subarray(PREFIX_BYTES)
}

/** What became of a call whose answer has ended: undefined where all went well. `last`: the block of its last headers. */
export function failureOf(last: Buffer): CallFailure | undefined {
  const headers = readHeaders(last)
  const status = headers.get('grpc-status')
  if (status === '0') return undefined
  if (status === undefined) return failure(STATUS.UNKNOWN, `an answer without a status of gRPC, HTTP status ${headers.get(':status') ?? 'unknown'}`)
  return failure(Number(status), decoded(headers.get('grpc-message') ?? ''))
}

/** The text is percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const failure = (code: number, details: string, unsent = false): CallFailure => Object.assign(new Error(details), { code, details, ...(unsent && { unsent }) })

export const cancelled = (): CallFailure => failure(STATUS.CANCELLED, 'Cancelled on client')
export const late = (): CallFailure => failure(STATUS.DEADLINE_EXCEEDED, 'Deadline exceeded')
export const malformed = (): CallFailure => failure(STATUS.INTERNAL, 'the answer is not one message')
/** `unsent`: the server has not begun with the call. */
export const dropped = (why: string, unsent: boolean): CallFailure => failure(STATUS.UNAVAILABLE, why, unsent)

/** The server has ended the call by RST_STREAM. */
export function reset(code: number): CallFailure {
  if (code === CODE.REFUSED_STREAM) return dropped('the server refused the call', true)
  return failure(code === CODE.CANCEL ? STATUS.CANCELLED : STATUS.INTERNAL, `the server ended the call with code ${code}`)
}
