import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { handleOf } from '../lib/socket-handle.ts'
import { turnIsSpent } from '../lib/turn.ts'
import type { TurnShare } from '../protocols/http2/turn-share.ts'

/** Of what a connection has brought, bytes that are parsed at once: a record of TLS. It may hold 4,000 fields. */
const MAX_PIECE_BYTES = 16 * 1024
/** Bytes in place of each request that a connection may begin when it has waited for its turn. */
const BYTES_PER_REQUEST = 1024
/**
 * A connection that brings so many bytes at once is one of large requests, or of many. Others stay with Node's own reading, which takes a tenth less for a small request, also where a turn is spent: what they bring
 * in a turn is small.
 */
const LARGE_BYTES = 4096

/** Where a parser of Node's keeps what it calls when it has read what has come: HTTPParser.kOnExecute. */
const ON_EXECUTE = 5

interface Parser {
  [ON_EXECUTE]?: unknown
}

const parserOf = (socket: Duplex): Parser | undefined =>
  'parser' in socket && typeof socket.parser === 'object' && socket.parser !== null ? socket.parser : undefined

/**
 * Has Node's HTTP/1.1 read a connection as the turns of the event loop go. Left alone, its parser reads past the stream all that has come on all connections in one turn: a hundred may bring 64 KiB each, of
 * which every four bytes are a field. That is faster, and stays so until a connection brings much at once, or is paused.
 *
 * Over TLS a pause does not hold back a parser that reads past the stream: the records that came in the same read are still handed to it. Node pauses the parser itself when a request begins while an earlier
 * response is still being written, and the next record fails it with HPE_PAUSED. The stream buffers such records until it is resumed.
 */
export function readInTurns(socket: Duplex, turns: TurnShare): void {
  const parser = parserOf(socket)
  const told = parser?.[ON_EXECUTE]
  if (!(socket instanceof Socket) || parser === undefined || typeof told !== 'function') return
  const leaveToStream = (): void => {
    // After an upgrade, Node gives the parser to another connection, or to the same one again.
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

/** When the turn is spent what has come waits for a later one: the more connections wait, the less is parsed of each before it waits again. */
function takeTurns(socket: Socket, turns: TurnShare): void {
  const [parse] = socket.listeners('data')
  if (parse === undefined) return
  let isWaiting = false
  /** Whether the socket is paused until its turn. Node also pauses it, and resumes it itself: its HTTP asserts that nothing is read before that. */
  let isHeld = false
  /** Bytes that may be parsed however long the turn has been. */
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
  /** The rest goes back first: a request that leaves HTTP takes the connection with all that has come. */
  const parseSome = (chunk: Buffer, bytes: number): void => {
    socket.pause()
    socket.unshift(chunk.subarray(bytes))
    socket.resume()
    parse.call(socket, chunk.subarray(0, bytes))
    // Node has it wait for an answer, or it is no longer read here.
    if (!socket.isPaused() && socket.listeners('data').includes(read)) wait()
  }
  // Node's parser reads past the stream until the stream has a new listener.
  socket.removeAllListeners('data').on('data', read)
  readThroughStream(socket)
}

/** Starts to read the handle again if Node has stopped it. The stream believes that it is being read, and stops it itself when its buffer is full. */
function readThroughStream(socket: Socket): void {
  const handle = handleOf(socket)
  if (handle === undefined || handle.reading !== false) return
  handle.reading = true
  handle.readStart()
}
