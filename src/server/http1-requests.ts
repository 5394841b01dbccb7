import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Listener } from './app.ts'
import { answerTooManyFields, hasTooManyFields } from './field-limit.ts'
import { MAX_PIPELINED } from './limits.ts'

/** Requests of a connection that wait behind the answer to an earlier one. */
const pipelined = new WeakMap<Socket, number>()

/**
 * Serves what Node's HTTP/1.1 reads. A connection on which too many requests wait for their turn is closed: Node reads on while answers are being made, and each request costs a hundred
 * times its bytes.
 */
export const http1Listener =
  (listener: Listener) =>
  (req: IncomingMessage, res: ServerResponse): void => {
    // Node gives the connection to the first of those that are not answered.
    if (res.socket === null && !mayWait(req.socket, res)) return
    if (hasTooManyFields(req)) answerTooManyFields(res)
    else listener(req, res)
  }

function mayWait(socket: Socket, res: ServerResponse): boolean {
  const waiting = (pipelined.get(socket) ?? 0) + 1
  if (waiting > MAX_PIPELINED || socket.destroyed) {
    socket.destroy()
    return false
  }
  pipelined.set(socket, waiting)
  res.once('close', () => pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1))
  return true
}
