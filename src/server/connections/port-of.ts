import type { Server } from 'node:net'
import { invariant } from '../../lib/invariant.ts'

/** Returns the port of a server that listens on TCP. */
export function portOf(server: Server): number {
  const address = server.address()
  invariant(typeof address === 'object' && address !== null, 'the server does not listen on a port')
  return address.port
}
