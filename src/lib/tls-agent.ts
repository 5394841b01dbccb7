import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import type { Duplex } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import { isPending } from './awaitable.ts'
import { KeptContext } from './kept-context.ts'
import { acceptChainsOfGo } from './server-certificate.ts'
import { checkServerName } from './server-name.ts'

/**
 * An agent whose connections verify a server's certificate and its names by Go's rules. The check of
 * names is an option of the agent: if a request brings its own, newer releases of Node (24.21) never use its connection
 * again.
 */
export class TlsAgent extends Agent {
  readonly #context = new KeptContext()

  /**
   * Disables session resumption: a resumed session has no chain that can be verified, and Node caches sessions even of
   * servers that it then rejects.
   */
  constructor(options: AgentOptions = {}) {
    super({ checkServerIdentity: checkServerName, ...options, maxCachedSessions: 0 })
  }

  override createConnection(options: RequestOptions, created?: (error: Error | null, stream: Duplex) => void): Duplex | null | undefined {
    const connect = (secureContext: SecureContext): Duplex | null | undefined => {
      const inContext = { ...options, secureContext }
      const socket = super.createConnection(inContext, created)
      return socket instanceof TLSSocket ? acceptChainsOfGo(socket, options.ca) : socket
    }
    const context = this.#context.of(options)
    if (!isPending(context)) return connect(context)
    context.then(connect).then(
      socket => socket && created?.(null, socket),
      error => (created as ((error: Error) => void) | undefined)?.(error),
    )
    return undefined
  }
}
