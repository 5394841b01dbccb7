import type { Agent } from 'node:https'
import type { TlsChoices, Transport } from '../../endpoints/connect/ask.ts'
import { type Dial, DialledTlsAgent } from '../../lib/connect-proxy.ts'
import { TlsAgent } from '../../lib/tls-agent.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import type { ProxyClientKey } from './client-keys.ts'
import { type Backend, type Registration, serverNameOf } from './registration.ts'

/** Connections that wait for the next request, of each backend. */
const MAX_IDLE_CONNECTIONS = 25
const IDLE_MS = 90_000
/** Requests that are with one backend at once, watches among them. */
const MAX_REQUESTS = 1_000

/** How one backend is spoken to, and how many requests it has. */
export class BackendTransport {
  /** For requests. An upgraded connection is of no more use, so it is never among those that are kept. */
  readonly transport: Transport
  /** Why nothing can be sent: the APIService is at fault. */
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

  /** Takes a place for a request; false: there is none. */
  enter(): boolean {
    if (this.#requests >= MAX_REQUESTS) return false
    this.#requests++
    return true
  }

  leave(): void {
    this.#requests--
  }

  /** Ends connections that wait, and those in use once their requests are over. */
  retire(): void {
    this.#agent.maxFreeSockets = 0
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }

  /** Ends all connections. */
  destroy(): void {
    this.#agent.destroy()
  }
}

/** Of each APIService with a backend; made when it is first asked for, and anew when the APIService or this server's certificate has changed. */
export class Transports {
  readonly #client: ProxyClientKey | undefined
  readonly #dial: Dial | undefined
  readonly #byName = new Map<string, { readonly key: string; readonly transport: BackendTransport }>()

  /** `dial`: absent, backends are dialled directly. */
  constructor(client: ProxyClientKey | undefined, dial?: Dial) {
    this.#client = client
    this.#dial = dial
  }

  of({ name }: Registration, backend: Backend): BackendTransport {
    const key = JSON.stringify([backend, this.#client?.generation])
    const known = this.#byName.get(name)
    if (known?.key === key) return known.transport
    known?.transport.retire()
    const transport = new BackendTransport(backend, this.#client, this.#dial)
    this.#byName.set(name, { key, transport })
    return transport
  }

  /** Of an APIService that has gone, or has no backend any more. */
  forget(name: string): void {
    this.#byName.get(name)?.transport.retire()
    this.#byName.delete(name)
  }

  close(): void {
    for (const { transport } of this.#byName.values()) transport.destroy()
    this.#byName.clear()
  }
}
