import type { Socket } from 'node:net'

/** Node's native handle of a connection, which its types do not declare. */
export interface SocketHandle {
  readStart(): unknown
  readStop(): unknown
  /** Whether the handle is reading, as Node's streams record it. */
  reading?: unknown
}

const isHandle = (value: unknown): value is SocketHandle =>
  typeof value === 'object' && value !== null && 'readStop' in value && 'readStart' in value

/** Returns the handle of a socket. Undefined if it is closed or not connected. */
export const handleOf = (socket: Socket): SocketHandle | undefined =>
  '_handle' in socket && isHandle(socket._handle) ? socket._handle : undefined
