import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A port of 127.0.0.1 without a listener. */
export interface HeldPort {
  readonly port: number
  release(): void
}

/**
 * Holds a port as the local end of a connection, so that no other program can listen on it, and connections to it are
 * refused. A port that was merely free a moment ago may be in use.
 */
export async function holdPort(): Promise<HeldPort> {
  const server = createServer(socket => socket.unref()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  server.close()
  socket.unref()
  return { port: socket.localPort as number, release: () => socket.destroy() }
}
