import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, isIPv6, Socket } from 'node:net'
import type { ConnectionOptions, SecureContextOptions } from 'node:tls'
import { boundExchange } from './bounded-exchange.ts'
import { DialError, dialError } from './dial-error.ts'
import { errorCode } from './error-code.ts'
import type { MetricFamily } from './metrics.ts'
import { connectTls } from './server-certificate.ts'
import { checkServerName } from './server-name.ts'
import { TlsAgent } from './tls-agent.ts'

/** A proxy that opens connections by the method CONNECT. */
export interface ConnectProxy {
  /** Its address, or the path of its socket. */
  readonly at: { readonly host: string; readonly port: number } | { readonly socketPath: string }
  /** Absent: it is asked without TLS. */
  readonly tls?: SecureContextOptions
}

/** Opens a connection to a host and a port, and is done once, with an error or with a socket that is connected. */
export type Dial = (host: string, port: number, done: (error: Error | null, socket?: Socket) => void) => void

/** What a way out may be for. */
export type EgressPurpose = 'cluster' | 'controlplane' | 'etcd'

/** Learns what comes of connections through a proxy: each begins, and fails at the proxy or behind it, or is there after so many seconds. */
export interface DialObserver {
  started(): void
  failed(stage: 'connect' | 'proxy'): void
  connected(seconds: number): void
}

/** The ways out of this server by what is behind them; what is absent is dialled directly. */
export interface Egress {
  /** For what the configuration names a way, be it the direct one; absent: there is no configuration. */
  readonly named?: ReadonlySet<EgressPurpose>
  readonly metrics?: readonly MetricFamily[]
  /** What is managed: nodes, pods, services. */
  readonly cluster?: Dial
  /** Webhooks that a URL names, and those of authentication, authorization and audits. */
  readonly controlplane?: Dial
  readonly etcd?: ConnectProxy
}

/** For the connection to the proxy and its answer together. */
const DIAL_MS = 30_000

const hostText = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** As errors name it. */
const nameOf = ({ at }: ConnectProxy): string => ('socketPath' in at ? at.socketPath : `${hostText(at.host)}:${at.port}`)

/** What TLS asks the proxy for. Node would take it from the header Host. */
const serverNameOf = ({ at }: ConnectProxy): { servername?: string } => ('host' in at && isIP(at.host) === 0 ? { servername: at.host } : {})

/** What no request line takes; no name has it. */
const NOT_IN_PATHS = /[^!-~]/

/** Dials through the proxy, which resolves names. Errors are in kube-apiserver's words. `dialMs`: for all until it has answered. */
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
    const name = nameOf(proxy)
    const options = { ...proxy.at, method: 'CONNECT', path: address, agent: false as const, headers: { host: '127.0.0.1' } }
    const asking = proxy.tls
      ? httpsRequest({ ...options, ...serverNameOf(proxy), checkServerIdentity: checkServerName, ...proxy.tls, agent: new TlsAgent() })
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

/** What an agent says of the connection that it wants. */
interface Wanted {
  readonly host?: string | null | undefined
  readonly port?: number | string | null | undefined
}
type Created = (error: Error | null, socket: Socket) => void

/** Calls back as agents of Node do, which look at the socket only where there is no error. */
function dialFor(dial: Dial, { host, port }: Wanted, created: Created | undefined, use: (socket: Socket) => Socket): undefined {
  dial(host ?? '', Number(port), (error, socket) => {
    if (socket) created?.(null, use(socket))
    else (created as ((error: Error | null) => void) | undefined)?.(error)
  })
}

/** Connections without TLS that are dialled so. */
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

/** Connections with TLS that are dialled so. */
export class DialledTlsAgent extends HttpsAgent {
  readonly #dial: Dial

  constructor(dial: Dial, options: AgentOptions) {
    super(options)
    this.#dial = dial
  }

  override createConnection(wanted: Wanted, created?: Created): undefined {
    return dialFor(this.#dial, wanted, created, socket => connectTls({ ...(wanted as ConnectionOptions), socket }))
  }
}
