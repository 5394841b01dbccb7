import type { ClientRequest, IncomingMessage } from 'node:http'
import { type Clock, steadyClock } from './clock.ts'
import { DialError } from './dial-error.ts'
import { paceReads } from './paced-socket.ts'

/** Responses of status 1xx before the one that counts: as many as net/http of Go takes. */
const MOST_INFORMATIONAL = 5
/** Pieces of a body that may come beyond those that pay for themselves. */
const MOST_SMALL_PIECES = 65_536
/** Small pieces that may come in a second, for ever: a terminal writes some hundreds. */
const SMALL_PIECES_PER_SECOND = 1_000
/** Bytes of a response that may come without a byte of its body: trailers, and the lengths of chunks, which may have any number of zeros. */
const MOST_OVERHEAD_BYTES = 1 << 20
/** A piece of so many bytes pays for itself. */
const BYTES_PER_PIECE = 64

/**
 * Bounds what the server at the other end of a request may cost. Its connection is read at the pace of turns; more than five informational responses end the request, and so does a body in very many
 * tiny chunks or with very much beside it. The errors have the words of Go's net/http. To be called before the request is sent.
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

/** Ends a response whose body comes in too many tiny pieces, each of which costs as much as one of some kilobytes. */
function boundPieces(response: IncomingMessage, clock: Clock): void {
  const push = response.push.bind(response)
  let pieces = 0
  /** Since a byte of the body has come. */
  let overhead = 0
  let countedAt = clock.now()
  const fail = (): void => void response.destroy(new DialError('chunked encoding contains too much non-data'))
  const isTooMany = (): boolean => {
    if (pieces <= MOST_SMALL_PIECES) return false
    // The clock is looked at only then.
    const now = clock.now()
    pieces = Math.max(0, pieces - ((now - countedAt) / 1000) * SMALL_PIECES_PER_SECOND)
    countedAt = now
    return pieces > MOST_SMALL_PIECES
  }
  response.push = (chunk: unknown): boolean => {
    if (!Buffer.isBuffer(chunk)) return push(chunk)
    // The parser may still find pieces in the bytes that it has.
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
  // Behind the parser, which calls `push` before.
  socket.on('data', count)
  response.once('close', () => socket.off('data', count))
}
