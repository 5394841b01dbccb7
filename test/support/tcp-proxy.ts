import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Connections passed on to another address, until they are cut. */
export interface TcpProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Stops passing on bytes silently: connections stay open, and new ones are accepted. */
  silence(): void
  /** Passes on again, new connections alone: those that were silent are cut. */
  restore(): void
  close(): Promise<void>
}

/** `target`: a URL with host and port. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let silent = false
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer(near => {
    keep(near)
    if (silent) return
    const far = keep(connect(Number(port), hostname))
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    silence() {
      silent = true
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    restore() {
      silent = false
      cut()
    },
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
