import type { ClientRequest } from 'node:http'
import type { Socket } from 'node:net'
import { errorCode } from './error-code.ts'

/** Errors of a write to a connection that the peer has closed. */
const CLOSED = ['EPIPE', 'ECONNRESET']

type Done = (error?: Error | null) => void

const tolerant = new WeakSet<Socket>()

/**
 * Reads a response that arrives before the request is complete, even if the server has closed the connection after it.
 * Node destroys the connection at the first failed write, with unread data lost. Here the failed write stays pending,
 * so no more of the body is sent, and the connection ends when it has been read. The end of such a response ends the
 * request. Must be called before the request is sent.
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
