import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A port of 127.0.0.1 on which nobody listens. */
export interface HeldPort {
  readonly port: number
  release(): void
}

/** Keeps a port busy as the near end of a connection: nobody else may listen on it, and who connects to it is refused. A port that was free a moment ago may be another's by now. */
export async function holdPort(): Promise<HeldPort> {
  const server = createServer(socket => socket.unref()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  server.close()
  socket.unref()
  return { port: socket.localPort as number, release: () => socket.destroy() }
}
