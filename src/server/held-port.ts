import { createServer, type Socket } from 'node:net'
import { listening } from './listening.ts'
import { portOf } from './port-of.ts'
import type { ConnectionSource } from './workers/worker-link.ts'

/** Connections that wait, at most; more are cut. */
const MAX_WAITING = 1024

/** Listens where there is no server yet: connections wait, unread, until one takes them. Port 0: one that is free. Rejects where the address can't be had. */
export async function holdPort(host: string, port: number): Promise<ConnectionSource> {
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

/** A client that has left while it waited. */
const ignore = (): void => {}
