import type { Socket } from 'node:net'

/** Ports that several processes may share. The console's port is not among them. */
export type PortName = 'secure' | 'insecure'

/** Connections of a port that another process holds. */
export interface ConnectionSource {
  /** Number of the port. */
  readonly port: number
  /** Passes on every connection from now on. Connections before that are handed back. */
  open(take: (socket: Socket) => void): void
  /** Accepts no more connections. Later ones are handed back. */
  close(): void
}
