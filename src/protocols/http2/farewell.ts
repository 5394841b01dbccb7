import type { TLSSocket } from 'node:tls'
import { FAREWELL_MS } from './limits.ts'

/** Ends a connection after these frames, whether or not the client reads them. */
export function part(socket: TLSSocket, last: readonly Buffer[] = []): void {
  for (const frame of last) socket.write(frame)
  socket.end()
  destroySoon(socket)
}

/** Destroys a connection that has said its last, once the client has had time to end it, too. */
export function destroySoon(socket: TLSSocket): void {
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref()
}
