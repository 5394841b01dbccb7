import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, isIPv6, Socket } from 'node:net'
import type { ConnectionOptions, SecureContext, SecureContextOptions } from 'node:tls'
import { after } from './awaitable.ts'
import { boundExchange } from './bounded-exchange.ts'
import { DialError, dialError } from './dial-error.ts'
import { errorCode } from './error-code.ts'
import { KeptContext } from './kept-context.ts'
import type { MetricFamily } from './metrics.ts'
import { connectTls } from './server-certificate.ts'
import { checkServerName } from './server-name.ts'
import { TlsAgent } from './tls-agent.ts'

/** A proxy that opens connections by the method CONNECT. */
export interface ConnectProxy {
  /** Address of the proxy, or path of its socket. */
  readonly at: { readonly host: string; readonly port: number } | { readonly socketPath: string }
  /** Optional. TLS options for the connection to the proxy. Default: no TLS. */
  readonly tls?: SecureContextOptions
}

/** Opens a connection to a host and a port. Calls `done` once, with an error or with a connected socket. */
export type Dial = (host: string, port: number, done: (error: Error | null, socket?: Socket) => void) => void

/** Destinations for which egress can be configured. */
export type EgressPurpose = 'cluster' | 'controlplane' | 'etcd'

/**
 * Receives the events of a connection through a proxy: started, then either failed (`connect`: to the proxy, `proxy`:
 * behind it) or connected after this many seconds.
 */
export interface DialObserver {
  /** The dial has begun. */
  started(): void
  /** The dial has failed. */
  failed(stage: 'connect' | 'proxy'): void
  /** The proxy has connected to the destination. */
  connected(seconds: number): void
}

/** Egress of the server by destination. Absent destinations are dialled directly. */
export interface Egress {
  /**
   * Destinations that the configuration names, including those that it dials directly. Omitted if there is no
   * configuration.
   */
  readonly named?: ReadonlySet<EgressPurpose>
  /** Optional. Metrics of connections through the proxies. */
  readonly metrics?: readonly MetricFamily[]
  /** Managed systems: nodes, pods and services. */
  readonly cluster?: Dial
  /** Webhooks named by URL, and those of authentication, authorization and audit. */
  readonly controlplane?: Dial
  /** Proxy to the etcd servers. */
  readonly etcd?: ConnectProxy
}

/** Limit in milliseconds on connecting to the proxy and its response together. */
const DIAL_MS = 30_000

const hostText = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** Name of the proxy in errors. */
const proxyName = ({ at }: ConnectProxy): string => ('socketPath' in at ? at.socketPath : `${hostText(at.host)}:${at.port}`)

/** Server name that is sent to the proxy. Node would take it from the header Host. */
const serverNameOf = ({ at }: ConnectProxy): { servername?: string } => ('host' in at && isIP(at.host) === 0 ? { servername: at.host } : {})

/** Characters that a request line cannot contain. No host name has them. */
const NOT_IN_PATHS = /[^!-~]/

/**
 * Dials through the proxy, which resolves names. Errors have kube-apiserver's wording. `dialMs`: limit in milliseconds
 * up to the proxy's response.
 */
export const dialThrough =
  (proxy: ConnectProxy, observer?: DialObserver, dialMs = DIAL_MS): Dial =>
  (host, port, given) => {
    let isConnected = false
    const began = performance.now()
    observer?.started()
    const done: typeof given = (error, socket) => {
      if (error) observer?.failed(isConnected ? 'proxy' : 'connect')
      else observer?.connected((performance.now() - began) / 1000)
      given(error, socket)
    }
    if (NOT_IN_PATHS.test(host)) return done(new DialError(`dial tcp: lookup ${host}: no such host`))
    const address = `${hostText(host)}:${port}`
    const name = proxyName(proxy)
    const options = { ...proxy.at, method: 'CONNECT', path: address, agent: false as const, headers: { host: '127.0.0.1' } }
    const asking = proxy.tls
      ? httpsRequest({ ...options, ...serverNameOf(proxy), ...proxy.tls, agent: new TlsAgent() })
      : httpRequest(options)
    boundExchange(asking)
    asking.once('socket', socket =>
      socket.once(proxy.tls ? 'secureConnect' : 'connect', () => {
        isConnected = true
      }),
    )
    const timer = setTimeout(() => asking.destroy(new DialError(`dial tcp ${name}: i/o timeout`)), dialMs)
    asking.once('close', () => clearTimeout(timer))
    asking.once('error', error => {
      const isLost = ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '') || error.message.startsWith('Parse Error')
      const why = error instanceof DialError ? error : dialError(error, name)
      done(isLost ? new DialError(`reading HTTP response from CONNECT to ${address} via proxy ${name} failed: ${why.message}`) : why)
    })
    asking.once('connect', ({ statusCode = 0, statusMessage = '' }, socket, head) => {
      const fault =
        statusCode !== 200
          ? `proxy error from ${name} while dialing ${address}, code ${statusCode}: ${statusCode} ${statusMessage}`
          : head.length > 0
            ? `unexpected ${head.length} bytes of buffered data from CONNECT proxy "${name}"`
            : undefined
      if (!(socket instanceof Socket)) return
      if (fault !== undefined) {
        socket.destroy()
        return done(new DialError(fault))
      }
      done(null, socket)
    })
    asking.end()
  }

/** Destination of a connection that an agent requests. */
interface Wanted {
  /** Host name or IP address. */
  readonly host?: string | null | undefined
  readonly port?: number | string | null | undefined
}
/** Callback of Node's agents. */
type Created = (error: Error | null, socket: Socket) => void

/** Dials and calls back as Node's agents do, which only read the socket if there is no error. */
function dialFor(dial: Dial, { host, port }: Wanted, created: Created | undefined, use: (socket: Socket) => Socket): undefined {
  dial(host ?? '', Number(port), (error, socket) => {
    if (socket) created?.(null, use(socket))
    else (created as ((error: Error | null) => void) | undefined)?.(error)
  })
}

/** An agent whose connections without TLS are opened by `dial`. */
export class DialledAgent extends HttpAgent {
  readonly #dial: Dial

  constructor(dial: Dial, options: AgentOptions) {
    super(options)
    this.#dial = dial
  }

  override createConnection(wanted: Wanted, created?: Created): undefined {
    return dialFor(this.#dial, wanted, created, socket => socket)
  }
}

/** An agent whose connections with TLS are opened by `dial`. */
export class DialledTlsAgent extends HttpsAgent {
  readonly #dial: Dial
  readonly #context = new KeptContext()

  constructor(dial: Dial, options: AgentOptions) {
    super({ checkServerIdentity: checkServerName, ...options })
    this.#dial = dial
  }

  override createConnection(wanted: Wanted, created?: Created): undefined {
    const options = wanted as ConnectionOptions
    const dial = (secureContext: SecureContext): undefined =>
      dialFor(this.#dial, wanted, created, socket => connectTls({ ...options, secureContext, socket }))
    void after(this.#context.of(options), dial)
  }
}
