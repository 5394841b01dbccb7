import type { Agent } from 'node:https'
import type { TlsChoices, Transport } from '../../endpoints/connect/ask.ts'
import { type Dial, DialledTlsAgent } from '../../lib/connect-proxy.ts'
import { TlsAgent } from '../../lib/tls-agent.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import type { ProxyClientKey } from './client-keys.ts'
import { type Backend, type Registration, serverNameOf } from './registration.ts'

/** Maximum number of idle connections per server. */
const MAX_IDLE_CONNECTIONS = 25
const IDLE_MS = 90_000
/** Maximum number of concurrent requests per server, including watches. */
const MAX_REQUESTS = 1_000

/** Connections to one aggregated server, with a limit on concurrent requests. */
export class BackendTransport {
  /** Transport for requests. Upgraded connections are never returned to the pool. */
  readonly transport: Transport
  /** Reason why nothing can be sent: the APIService is misconfigured. */
  readonly fault: string | undefined
  readonly #agent: Agent
  #requests = 0

  constructor(backend: Backend, client: ProxyClientKey | undefined, dial: Dial | undefined) {
    const { certificateAuthority, insecureSkipTLSVerify } = backend
    this.fault =
      certificateAuthority !== undefined && !certificateAuthority.includes('-----BEGIN CERTIFICATE-----')
        ? 'unable to load root certificates: unable to parse bytes as PEM block'
        : undefined
    const tls: TlsChoices = {
      servername: serverNameOf(backend),
      rejectUnauthorized: !insecureSkipTLSVerify,
      ALPNProtocols: ['http/1.1'],
      ...(certificateAuthority !== undefined && this.fault === undefined && trustedCertificates(certificateAuthority)),
      ...client?.current,
    }
    const kept = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: MAX_IDLE_CONNECTIONS }
    this.#agent = dial ? new DialledTlsAgent(dial, kept) : new TlsAgent(kept)
    this.transport = { tls, agent: this.#agent }
  }

  /** Counts a request. Returns false if the limit is reached. */
  enter(): boolean {
    if (this.#requests >= MAX_REQUESTS) return false
    this.#requests++
    return true
  }

  leave(): void {
    this.#requests--
  }

  /** Closes idle connections. Busy ones close when their request ends. */
  retire(): void {
    this.#agent.maxFreeSockets = 0
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  /** Closes all connections. */
  destroy(): void {
    this.#agent.destroy()
  }
}

/**
 * Transports by APIService. Created on first use, and again when the APIService or this server's certificate changes.
 */
export class Transports {
  readonly #client: ProxyClientKey | undefined
  readonly #dial: Dial | undefined
  readonly #byName = new Map<string, { readonly key: string; readonly transport: BackendTransport }>()

  /** @param dial default: dial directly. */
  constructor(client: ProxyClientKey | undefined, dial?: Dial) {
    this.#client = client
    this.#dial = dial
  }

  /** Returns the transport of an APIService. A changed one is retired and replaced. */
  of({ name }: Registration, backend: Backend): BackendTransport {
    const key = JSON.stringify([backend, this.#client?.generation])
    const known = this.#byName.get(name)
    if (known?.key === key) return known.transport
    known?.transport.retire()
    const transport = new BackendTransport(backend, this.#client, this.#dial)
    this.#byName.set(name, { key, transport })
    return transport
  }

  /** Retires the transport of an APIService that was deleted or became local. */
  forget(name: string): void {
    this.#byName.get(name)?.transport.retire()
    this.#byName.delete(name)
  }

  close(): void {
    for (const { transport } of this.#byName.values()) transport.destroy()
    this.#byName.clear()
  }
}
