import { createServer, type Socket } from 'node:net'
import type { ConnectionSource } from './connection-source.ts'
import { listening } from './listening.ts'
import { portOf } from './port-of.ts'

/** Connections that may wait. Further ones are closed. */
const MAX_WAITING = 1024

/**
 * Listens before the server exists. Connections wait, unread, until a server takes them. Port 0: a free one. Rejects if
 * the address cannot be used.
 */
export async function listenEarly(host: string, port: number): Promise<ConnectionSource> {
  const waiting = new Set<Socket>()
  let take: ((socket: Socket) => void) | undefined
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, socket => {
    if (take !== undefined) return take(socket)
    if (waiting.size >= MAX_WAITING) return void socket.destroy()
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket)).on('error', ignore)
  })
  await listening(server, host, port)
  return {
    port: portOf(server),
    open(taker) {
      take = taker
      for (const socket of waiting) {
        socket.off('error', ignore)
        taker(socket)
      }
      waiting.clear()
    },
    close() {
      server.close()
      for (const socket of waiting) socket.destroy()
    },
  }
}

/** The client closed the connection while it waited. */
const ignore = (): void => {}
