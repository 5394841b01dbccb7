import type { LookupAddress } from 'node:dns'
import { type ClientRequest, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import type { SecureContextOptions } from 'node:tls'
import type { Destination, KubeletAddresses, Trust } from '../../catalog/connect.ts'
import type { CertificateObserver } from '../../clients/certificate-metrics.ts'
import { boundExchange } from '../../lib/bounded-exchange.ts'
import { type Dial, DialledAgent, DialledTlsAgent } from '../../lib/connect-proxy.ts'
import { DialError, dialError } from '../../lib/dial-error.ts'
import { readEarlyResponse } from '../../lib/early-response.ts'
import { errorCode } from '../../lib/error-code.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { InProcessAgent } from '../../lib/in-process-connection.ts'
import { TlsAgent } from '../../lib/tls-agent.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import { escapePath } from '../../lib/url.ts'

/** How kubelets are reached, and the certificate that authenticates this server to them. PEM. */
export interface Kubelets extends KubeletAddresses {
  /** CA of the kubelets' certificates. If omitted, the certificates are not verified. */
  readonly certificateAuthority?: string
  readonly client?: { readonly cert: string; readonly key: string }
  /** Optional. Dials kubelets, pods and services. If omitted, they are dialled directly. */
  readonly dial?: Dial | undefined
}

/** A request to a kubelet, a pod, a service or a node. */
export interface Question {
  readonly method: string
  /** Names and values in turn. Without a Host header, the destination's host is used. */
  readonly headers: readonly string[]
  readonly body?: Readable | undefined
  readonly signal: AbortSignal
}

/** A response. If it switched protocols (101), also the connection, with the bytes that came behind the response. */
export interface Reply {
  readonly response: IncomingMessage
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Sends a request to a destination. Throws DialError if it cannot be reached. */
export type Ask = (destination: Destination, question: Question) => Promise<Reply>

/** TLS options. Only HTTP/1.1 is offered, because HTTP/2 connections cannot be upgraded. */
export interface TlsChoices extends SecureContextOptions {
  readonly rejectUnauthorized: boolean
  readonly ALPNProtocols: string[]
  /** Name in the certificate. Defaults to the host. */
  readonly servername?: string
}

/** How a server is reached over TLS. */
export interface Transport {
  readonly tls: TlsChoices
  /** Optional. Reuses connections. If omitted, each request has its own connection. */
  readonly agent?: Agent
  /** Optional. Dials for requests without an agent. */
  readonly dial?: Dial | undefined
  readonly certificates?: CertificateObserver
}

const BROKEN = 'net/http: HTTP/1.x transport connection broken'

/**
 * Time limit of a connection and its handshake in milliseconds. The client decides how long to wait for the response.
 */
const DIAL_MS = 30_000

/** Delay of TCP keep-alive probes, which detect a peer that disappeared. */
const KEEP_ALIVE_MS = 30_000
/** Maximum bytes of a response head: as for requests. */
const MAX_HEADER_BYTES = 1 << 20

/** Methods that change nothing, whose requests can be repeated. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

const PORTS = { http: '80', https: '443' } as const

const hostText = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** Returns host and port as in a URL. Without a port if none is given. */
export const authorityOf = ({ host, port }: Destination): string => (port === '' ? hostText(host) : `${hostText(host)}:${port}`)

/** Returns path and query, escaped. */
export const requestTarget = ({ path, query }: Destination): string => {
  const escaped = escapePath(path.startsWith('/') ? path : `/${path}`)
  return query === '' ? escaped : `${escaped}?${query}`
}

/** Returns the TLS options of a destination. A kubelet is verified if a CA is configured. */
function tlsOf(trust: Trust, { certificateAuthority, client }: Kubelets): TlsChoices {
  const verified = trust === 'kubelet' && certificateAuthority !== undefined
  return {
    rejectUnauthorized: verified,
    ALPNProtocols: ['http/1.1'],
    ...(verified && trustedCertificates(certificateAuthority)),
    ...(trust !== 'anything' && client && { cert: client.cert, key: client.key }),
  }
}

/** Returns a lookup function with the result of an earlier lookup. */
const found =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses
    if (all) done(null, [...addresses])
    else if (first) done(null, first.address, first.family)
    else done(new DialError('no addresses'), '')
  }

/**
 * Dials an address of an earlier lookup: a proxy would resolve the name again, possibly to an address that is not
 * allowed.
 */
function dialFound(dial: Dial | undefined, addresses: readonly LookupAddress[] | undefined): Dial | undefined {
  const address = addresses?.[0]?.address
  return dial && address !== undefined ? (_host, port, done) => dial(address, port, done) : dial
}

/** Sends a request to a kubelet, a pod, a service or a node, on its own connection. */
export const ask = (destination: Destination, kubelets: Kubelets, question: Question): Promise<Reply> =>
  askOver({ tls: tlsOf(destination.trust, kubelets), dial: kubelets.dial }, destination, question)

/** Returns `ask` for all destinations. */
export const askAsServer =
  (kubelets: Kubelets): Ask =>
  (destination, question) =>
    ask(destination, kubelets, question)

/**
 * Sends a request, and resolves with the head of the response. Throws DialError if the destination cannot be reached.
 * The signal closes the connection at any time, even after this has resolved, unless it was upgraded: then the caller
 * owns it.
 */
export async function askOver(transport: Transport, destination: Destination, question: Question): Promise<Reply> {
  for (;;) {
    const attempt = new Attempt(transport, destination, question)
    try {
      return await attempt.reply
    } catch (error) {
      // The other side may have closed a reused connection before it received the request.
      if (!attempt.metClosedConnection || !REPEATABLE.has(question.method) || question.body || question.signal.aborted) throw error
    }
  }
}

/**
 * Returns the error of a status code that Node's parser accepts but no response can have: Go rejects codes of fewer
 * than three digits, and cannot proxy codes below 100.
 */
function statusFault({ statusCode = 0 }: IncomingMessage): DialError | undefined {
  if (statusCode === 101) return new DialError('it switched protocols unasked')
  if (statusCode >= 100) return undefined
  return new DialError(`${BROKEN}: malformed HTTP status code "${String(statusCode).padStart(3, '0')}"`)
}

/**
 * Sends the body. Bytes that the other side does not accept are read and dropped: some clients read the response only
 * after they have sent their request.
 */
function sendBody(body: Readable, request: ClientRequest): void {
  request.once('close', () => body.unpipe(request).resume())
  body.on('error', error => request.destroy(error)).pipe(request)
}

/** A request on one connection. */
class Attempt {
  readonly reply: Promise<Reply>
  /** Whether it failed on a reused connection that the other side had closed. */
  metClosedConnection = false

  readonly #certificates: Transport['certificates']
  readonly #address: string
  readonly #signal: AbortSignal

  constructor(
    { tls, agent, certificates, ...transport }: Transport,
    destination: Destination,
    { method, headers, body, signal }: Question,
  ) {
    const { host, addresses, open } = destination
    const scheme = open ? 'http' : destination.scheme
    const dial = dialFound(transport.dial, addresses)
    const port = destination.port === '' ? PORTS[destination.scheme] : destination.port
    this.#certificates = certificates
    this.#address = `${hostText(host)}:${port}`
    this.#signal = signal
    const named = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
    const options: RequestOptions = {
      host,
      ...(addresses && { lookup: found(addresses) }),
      port,
      method,
      path: requestTarget(destination),
      headers: [...(named ? [] : ['Host', authorityOf(destination)]), ...headers],
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    }
    this.reply = new Promise((resolve, reject) => {
      let request: ClientRequest
      try {
        request =
          scheme === 'https'
            ? httpsRequest({
                ...options,
                ...tls,
                agent: agent ?? (dial ? new DialledTlsAgent(dial, {}) : new TlsAgent()),
              })
            : httpRequest({ ...options, agent: open ? new InProcessAgent(open) : dial ? new DialledAgent(dial, {}) : false })
      } catch (error) {
        reject(new DialError(errorMessage(error)))
        return
      }
      this.#follow(request, scheme, resolve, reject)
      if (body) sendBody(body, request)
      else request.end()
    })
  }

  /** Bounds the request, limits the time to connect, and settles with the head of the response. */
  #follow(request: ClientRequest, scheme: string, resolve: (reply: Reply) => void, reject: (reason: unknown) => void): void {
    boundExchange(request)
    readEarlyResponse(request)
    const timer = setTimeout(() => request.destroy(new DialError(`dial tcp ${this.#address}: i/o timeout`)), DIAL_MS)
    const connected = (): void => clearTimeout(timer)
    request.on('socket', socket => {
      // A socket from a proxy is connected already.
      if (request.reusedSocket || (scheme === 'http' && !socket.connecting)) return connected()
      socket
        .setNoDelay(true)
        .setKeepAlive(true, KEEP_ALIVE_MS)
        .once(scheme === 'https' ? 'secureConnect' : 'connect', connected)
        .once('close', connected)
    })
    request.on('error', error => {
      connected()
      this.metClosedConnection = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(errorCode(error) ?? '')
      if (this.#signal.aborted) return reject(this.#signal.reason)
      const told = error instanceof DialError ? error : dialError(error, this.#address)
      this.#certificates?.failed(told)
      reject(told)
    })
    request.on('response', response => {
      this.#certificates?.answered(response.socket)
      const fault = statusFault(response)
      if (fault === undefined) return resolve({ response })
      response.destroy()
      reject(fault)
    })
    request.on('upgrade', (response, socket, head) => {
      this.#certificates?.answered(response.socket)
      resolve({ response, upgraded: { socket, head } })
    })
  }
}
