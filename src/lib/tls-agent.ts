import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { acceptPurposesOfGo } from './server-certificate.ts'

/** Connections to servers whose certificates are verified by Go's rules of purposes. */
export class TlsAgent extends Agent {
  /** Without sessions: one that is resumed has no chain that could be verified, and Node keeps also those of servers that it is about to refuse. */
  constructor(options: AgentOptions = {}) {
    super({ ...options, maxCachedSessions: 0 })
  }

  override createConnection(options: RequestOptions, created?: (error: Error | null, stream: Duplex) => void): Duplex | null | undefined {
    const socket = super.createConnection(options, created)
    return socket instanceof TLSSocket ? acceptPurposesOfGo(socket, options.ca) : socket
  }
}
