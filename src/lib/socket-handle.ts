import type { Socket } from 'node:net'

/** What Node reads a connection by, which its types don't have. */
export interface SocketHandle {
  readStart(): unknown
  readStop(): unknown
  /** Whether the system is asked for what comes, as far as Node's own streams know. */
  reading?: unknown
}

const isHandle = (value: unknown): value is SocketHandle => typeof value === 'object' && value !== null && 'readStop' in value && 'readStart' in value

/** Undefined: the socket is closed, or not connected. */
export const handleOf = (socket: Socket): SocketHandle | undefined => ('_handle' in socket && isHandle(socket._handle) ? socket._handle : undefined)
