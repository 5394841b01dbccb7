import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Clock, steadyClock } from './clock.ts'
import { DialError } from './dial-error.ts'
import { paceReads } from './paced-socket.ts'

/** Limit on 1xx responses before the final one, as in Go's net/http. */
const MOST_INFORMATIONAL = 5
/** Limit on the small pieces of a body. Larger pieces reduce the count. */
const MOST_SMALL_PIECES = 65_536
/** Small pieces that are allowed per second without limit. A terminal writes some hundreds. */
const SMALL_PIECES_PER_SECOND = 1_000
/**
 * Bytes that may arrive without a byte of the body: trailers, and chunk lengths, which can have any number of zeros.
 */
const MOST_OVERHEAD_BYTES = 1 << 20
/** A piece of at least this many bytes does not count as small. */
const BYTES_PER_PIECE = 64

/**
 * Bounds what the server at the other end of a request can cost. The connection is read in turns of the event loop;
 * more than five informational responses, a body of very many tiny chunks, or one with very much data besides ends the
 * request with the error of Go's net/http. Must be called before the request is sent.
 */
export function boundExchange(request: ClientRequest, clock: Clock = steadyClock): void {
  let informational = 0
  request
    .on('socket', socket => paceReads(socket))
    .on('information', () => {
      if (++informational > MOST_INFORMATIONAL)
        request.destroy(new DialError('net/http: HTTP/1.x transport connection broken: net/http: too many 1xx informational responses'))
    })
    .prependListener('response', response => boundPieces(response, clock))
}

/** Ends a response whose body arrives in too many tiny pieces, each of which costs as much as one of some kilobytes. */
function boundPieces(response: IncomingMessage, clock: Clock): void {
  const push = response.push.bind(response)
  let pieces = 0
  /** Bytes since the last byte of the body. */
  let overhead = 0
  let countedAt = clock.now()
  const fail = (): void => void response.destroy(new DialError('chunked encoding contains too much non-data'))
  const isTooMany = (): boolean => {
    if (pieces <= MOST_SMALL_PIECES) return false
    // The clock is only read above the limit.
    const now = clock.now()
    pieces = Math.max(0, pieces - ((now - countedAt) / 1000) * SMALL_PIECES_PER_SECOND)
    countedAt = now
    return pieces > MOST_SMALL_PIECES
  }
  response.push = (chunk: unknown): boolean => {
    if (!Buffer.isBuffer(chunk)) return push(chunk)
    // The parser may still find pieces in the bytes that it already has.
    if (response.destroyed) return false
    overhead = 0
    pieces = Math.max(0, pieces + 1 - chunk.length / BYTES_PER_PIECE)
    if (!isTooMany()) return push(chunk)
    fail()
    return false
  }
  const count = (bytes: Buffer): void => {
    overhead += bytes.length
    if (overhead > MOST_OVERHEAD_BYTES) fail()
  }
  const { socket } = response
  // Runs after the parser, which calls `push`.
  socket.on('data', count)
  response.once('close', () => socket.off('data', count))
}
