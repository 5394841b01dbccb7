import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { errorCode } from './error-code.ts'

/** Of a write to a connection that the other side has closed. */
const CLOSED = ['EPIPE', 'ECONNRESET']

type Done = (error?: Error | null) => void

const tolerant = new WeakSet<Socket>()

/**
 * Has a response that comes before the end of a request be read, also from a server that has closed the connection behind it: Node ends the connection at the first write that fails, with what was received unread.
 * Such a write stays unfinished instead, so that no more of the body is sent, and the connection ends by what is read. The end of such a response is the end of the request. To be called before the request is sent.
 */
export function readEarlyResponse(request: ClientRequest): void {
  request.on('response', response => response.once('close', () => request.writableFinished || request.destroy()))
  request.on('socket', socket => {
    if (tolerant.has(socket)) return
    tolerant.add(socket)
    const write = socket._write.bind(socket)
    socket._write = (chunk: unknown, encoding, done): void => write(chunk, encoding, whileOpen(socket, done))
    const writeMany = socket._writev?.bind(socket)
    if (writeMany) socket._writev = (chunks, done): void => writeMany(chunks, whileOpen(socket, done))
  })
}

const whileOpen =
  (socket: Socket, done: Done): Done =>
  error => {
    const isClosed = CLOSED.includes(errorCode(error) ?? '') && !socket.readableEnded && !socket.destroyed
    if (!isClosed) done(error)
    else socket.once('end', () => done(error))
  }
