import { ErrorCode } from '../http2/errors.ts'
import { Flag, FRAME_BYTES, FrameType, frameKind, HEADER_BYTES, writeFrameHeader } from '../http2/frames.ts'
import { HeaderDecoder } from '../http2/header-decoder.ts'
import { HeaderEncoder } from '../http2/header-encoder.ts'
import { type CallFailure, Status } from './call-failure.ts'

/**
 * Requests and responses of gRPC over HTTP/2. Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */

/** Length of a message prefix: a compression flag, which is always 0 here, and the message length. */
export const PREFIX_BYTES = 5
/** Encodes header fields into a buffer of their own. */
const encodeHeaderFields = (fields: readonly string[]): Buffer => new HeaderEncoder(256).fields(fields)

const TIMEOUT = encodeHeaderFields(['grpc-timeout', '']).subarray(0, -1)
/** Decodes responses. The dynamic table is disabled, so that only the last header block has to be decoded. */
const decoder = new HeaderDecoder(64 * 1024, 1000, 0)
/** Maximum of `grpc-timeout`, which has up to eight digits. */
const LONGEST_TIMEOUT = 99_999_999

/** Server and user agent of a request. */
export interface Peer {
  /** Host and port. */
  readonly authority: string
  /** Whether the connection uses TLS. */
  readonly secure: boolean
  readonly userAgent: string
}

/**
 * Encodes the headers that all requests of a method share.
 * @param metadata names in lower case, and their values.
 */
export function requestHead(
  method: string,
  { authority, secure, userAgent }: Peer,
  metadata: Readonly<Record<string, string>> = {},
): Buffer {
  const fields = [
    [':method', 'POST'],
    [':scheme', secure ? 'https' : 'http'],
    [':path', method],
    [':authority', authority],
    ['te', 'trailers'],
    ['content-type', 'application/grpc'],
    ['user-agent', userAgent],
    ...Object.entries(metadata),
  ]
  return encodeHeaderFields(fields.flat())
}

const timeoutText = (ms: number): string => `${Math.min(LONGEST_TIMEOUT, Math.max(1, Math.ceil(ms)))}m`
const headersBytes = (head: Buffer, timeout: string): number => HEADER_BYTES + head.length + TIMEOUT.length + 1 + timeout.length

/** Writes the HEADERS frame. Returns the offset after it. */
function writeHeaders(out: Buffer, head: Buffer, timeout: string, stream: number): number {
  let at = writeFrameHeader(out, 0, headersBytes(head, timeout) - HEADER_BYTES, frameKind(FrameType.headers, Flag.endHeaders), stream)
  at += head.copy(out, at)
  at += TIMEOUT.copy(out, at)
  out[at++] = timeout.length
  return at + out.write(timeout, at, 'latin1')
}

/**
 * Returns the HEADERS frame of a request whose message follows.
 * @param timeoutMs deadline for the server, sent as `grpc-timeout`.
 */
export function requestHeaders(head: Buffer, timeoutMs: number, stream: number): Buffer {
  const timeout = timeoutText(timeoutMs)
  const out = Buffer.allocUnsafe(headersBytes(head, timeout))
  writeHeaders(out, head, timeout, stream)
  return out
}

/** Returns all frames of a short request in one buffer. */
export function requestFrames(head: Buffer, timeoutMs: number, stream: number, message: Buffer): Buffer {
  const timeout = timeoutText(timeoutMs)
  const body = PREFIX_BYTES + message.length
  const out = Buffer.allocUnsafe(headersBytes(head, timeout) + Math.ceil(body / FRAME_BYTES) * HEADER_BYTES + body)
  let at = writeHeaders(out, head, timeout, stream)
  for (let sent = 0; sent < body; ) {
    const size = Math.min(FRAME_BYTES, body - sent)
    at = writeFrameHeader(out, at, size, frameKind(FrameType.data, sent + size === body ? Flag.endStream : 0), stream)
    if (sent === 0) {
      out[at++] = 0
      at = out.writeUInt32BE(message.length, at)
    }
    at += message.copy(out, at, Math.max(0, sent - PREFIX_BYTES), sent - PREFIX_BYTES + size)
    sent += size
  }
  return out
}

/** Returns the message with its prefix. */
export function prefixed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES)
  prefix.writeUInt32BE(message.length, 1)
  return Buffer.concat([prefix, message])
}

/**
 * Returns the failure of a call whose response is complete. Undefined for status OK.
 * @param last the last header block.
 */
export function completedFailure(last: Buffer): CallFailure | undefined {
  const { fields } = decoder.decode(last)
  const header = (name: string): string | undefined => {
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1]
    return undefined
  }
  const status = header('grpc-status')
  if (status === '0') return undefined
  if (status === undefined)
    return callFailure(Status.UNKNOWN, `the response has no gRPC status, HTTP status ${header(':status') ?? 'unknown'}`)
  if (!/^\d{1,9}$/.test(status)) return callFailure(Status.UNKNOWN, 'the status of gRPC is not a number')
  return callFailure(Number(status), decodeStatusText(header('grpc-message') ?? ''))
}

/** Decodes the percent-encoded status message. Invalid encodings are returned unchanged. */
function decodeStatusText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const callFailure = (code: number, details: string, unsent = false): CallFailure =>
  Object.assign(new Error(details), { code, details, ...(unsent && { unsent }) })

export const cancelled = (): CallFailure => callFailure(Status.CANCELLED, 'Cancelled on client')
export const late = (): CallFailure => callFailure(Status.DEADLINE_EXCEEDED, 'Deadline exceeded')
export const malformed = (): CallFailure => callFailure(Status.INTERNAL, 'the response is not a single message')
/** A message beyond the size limit, with grpc-go's message. */
export const messageTooLong = (bytes: number, maxBytes: number): CallFailure =>
  callFailure(Status.RESOURCE_EXHAUSTED, `grpc: received message larger than max (${bytes} vs. ${maxBytes})`)
/**
 * A call that ended with its connection.
 * `unsent`: whether the server has not begun the call.
 */
export const dropped = (why: string, unsent: boolean): CallFailure => callFailure(Status.UNAVAILABLE, why, unsent)

/** A call that the server ended with RST_STREAM. */
export function reset(code: number): CallFailure {
  if (code === ErrorCode.refusedStream) return dropped('the server refused the call', true)
  return callFailure(code === ErrorCode.cancel ? Status.CANCELLED : Status.INTERNAL, `the server ended the call with code ${code}`)
}
