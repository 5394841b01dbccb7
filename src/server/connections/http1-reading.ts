import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { handleOf } from '../../lib/socket-handle.ts'
import { turnIsSpent } from '../../lib/turn.ts'
import type { TurnBudget } from '../../protocols/http2/turn-budget.ts'

/** Bytes of a read that are parsed at once: one TLS record. It may hold 4,000 header fields. */
const MAX_PIECE_BYTES = 16 * 1024
/** Bytes that a connection may parse for each request of its quota, after it has waited for its turn. */
const BYTES_PER_REQUEST = 1024
/**
 * A connection that brings this many bytes in one read has large requests or many of them. Others stay with Node's own
 * reader, which takes a tenth less time for a small request, even if the turn is spent: they bring little in a turn.
 */
const LARGE_BYTES = 4096

/** Index of the callback that Node's parser calls after it has parsed a read: HTTPParser.kOnExecute. */
const ON_EXECUTE = 5

interface Parser {
  [ON_EXECUTE]?: unknown
}

const parserOf = (socket: Duplex): Parser | undefined =>
  'parser' in socket && typeof socket.parser === 'object' && socket.parser !== null ? socket.parser : undefined

/**
 * Has Node's HTTP/1.1 server read a connection in the turns of the event loop. By default its parser consumes the
 * socket's handle, past the stream, and parses everything that has come on all connections in one turn: a hundred
 * connections may bring 64 KiB each, with a header field in every four bytes. The default is faster, and stays in place
 * until a connection brings much at once or is paused.
 *
 * Over TLS, a pause does not hold back a parser that bypasses the stream: the records that came in the same read are
 * still handed to it. Node pauses the parser itself when a request begins while an earlier response is still being
 * written, and the next record fails it with HPE_PAUSED. The stream buffers such records until it is resumed.
 */
export function readInTurns(socket: Duplex, turns: TurnBudget): void {
  const parser = parserOf(socket)
  const told = parser?.[ON_EXECUTE]
  if (!(socket instanceof Socket) || parser === undefined || typeof told !== 'function') return
  const leaveToStream = (): void => {
    // After an upgrade, Node gives the parser to another connection or back to this one.
    if (parser[ON_EXECUTE] !== onExecute) return
    parser[ON_EXECUTE] = told
    takeTurns(socket, turns)
  }
  const onExecute = (read: unknown): void => {
    told(read)
    if (typeof read === 'number' && read >= LARGE_BYTES) leaveToStream()
  }
  parser[ON_EXECUTE] = onExecute
  socket.once('pause', leaveToStream)
}

/**
 * Parses a part of each read. Once the turn is spent, the rest waits for a later turn. The more connections wait, the
 * less of each is parsed in a turn.
 */
function takeTurns(socket: Socket, turns: TurnBudget): void {
  const [parse] = socket.listeners('data')
  if (parse === undefined) return
  let isWaiting = false
  /**
   * Whether the socket is paused until its turn. Node pauses and resumes the socket as well, and its HTTP server
   * asserts that nothing is read in between.
   */
  let isHeld = false
  /** Bytes that may be parsed even though the turn is spent. */
  let due = 0

  const wait = (): void => {
    socket.pause()
    isHeld = true
    if (isWaiting) return
    isWaiting = true
    turns.wait(quota => {
      isWaiting = false
      due = quota * BYTES_PER_REQUEST
      if (isHeld) socket.resume()
    })
  }
  const read = (chunk: Buffer): void => {
    isHeld = false
    if (due === 0 && turnIsSpent()) {
      wait()
      socket.unshift(chunk)
      return
    }
    const most = due === 0 ? MAX_PIECE_BYTES : Math.min(due, MAX_PIECE_BYTES)
    due = 0
    if (chunk.length <= most) parse.call(socket, chunk)
    else parseSome(chunk, most)
  }
  /**
   * Parses the first `bytes`. The rest goes back first: a request that leaves HTTP takes the connection with all unread
   * bytes.
   */
  const parseSome = (chunk: Buffer, bytes: number): void => {
    socket.pause()
    socket.unshift(chunk.subarray(bytes))
    socket.resume()
    parse.call(socket, chunk.subarray(0, bytes))
    // Paused: Node waits until a response is written. Without `read`: the connection has left HTTP.
    if (!socket.isPaused() && socket.listeners('data').includes(read)) wait()
  }
  // A new `data` listener makes Node's parser stop bypassing the stream.
  socket.removeAllListeners('data').on('data', read)
  readThroughStream(socket)
}

/**
 * Restarts the handle if Node has stopped it. The stream assumes that it is being read, and stops it itself when its
 * buffer is full.
 */
function readThroughStream(socket: Socket): void {
  const handle = handleOf(socket)
  if (handle === undefined || handle.reading !== false) return
  handle.reading = true
  handle.readStart()
}
