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
import { checkServerName } from '../../lib/server-name.ts'
import { TlsAgent } from '../../lib/tls-agent.ts'
import { trustedCertificates } from '../../lib/trusted-certificates.ts'
import { escapePath } from '../../lib/url.ts'

/** How kubelets are reached, and who they know us by. PEM. */
export interface Kubelets extends KubeletAddresses {
  /** Of the kubelets' certificates; without one they are not checked. */
  readonly certificateAuthority?: string
  readonly client?: { readonly cert: string; readonly key: string }
  /** How they, pods and services are dialled; absent: directly. */
  readonly dial?: Dial | undefined
}

/** A request to a kubelet, a pod, a service or a node. */
export interface Question {
  readonly method: string
  /** Names and values in turn. The host is among them, or is the destination's. */
  readonly headers: readonly string[]
  readonly body?: Readable | undefined
  readonly signal: AbortSignal
}

/** What came back: a response, and where it leaves HTTP (101) the connection with what has come on it already. */
export interface Reply {
  readonly response: IncomingMessage
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer }
}

/** Asks a destination. Throws DialError where nobody answers. */
export type Ask = (destination: Destination, question: Question) => Promise<Reply>

/** What TLS goes by. Only HTTP/1.1 is spoken, which alone can be upgraded. */
export interface TlsChoices extends SecureContextOptions {
  readonly rejectUnauthorized: boolean
  readonly ALPNProtocols: string[]
  /** The name in the certificate; absent: the host. */
  readonly servername?: string
}

/** How a server is spoken to over TLS. */
export interface Transport {
  readonly tls: TlsChoices
  /** Keeps connections for further requests; absent: each request has one of its own. */
  readonly agent?: Agent
  /** For requests without an agent. */
  readonly dial?: Dial | undefined
  readonly certificates?: CertificateObserver
}

const BROKEN = 'net/http: HTTP/1.x transport connection broken'

/** For the connection and its handshake together; for the answer the client decides how long to wait. */
const DIAL_MS = 30_000

/** Who has gone without a word is noticed by this. */
const KEEP_ALIVE_MS = 30_000
/** Of the head of an answer: as much as of a request. */
const MAX_HEADER_BYTES = 1 << 20

/** Methods whose requests change nothing, so that they can be sent again. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

const PORTS = { http: '80', https: '443' } as const

const hostText = (host: string): string => (isIPv6(host) ? `[${host}]` : host)

/** Host and port, as URLs have them: with the port where it is given. */
export const authorityOf = ({ host, port }: Destination): string => (port === '' ? hostText(host) : `${hostText(host)}:${port}`)

/** Path and query, escaped. */
export const targetOf = ({ path, query }: Destination): string => {
  const escaped = escapePath(path.startsWith('/') ? path : `/${path}`)
  return query === '' ? escaped : `${escaped}?${query}`
}

/** What a destination is trusted by: a kubelet by its authority, where one is given. */
function tlsOf(trust: Trust, { certificateAuthority, client }: Kubelets): TlsChoices {
  const verified = trust === 'kubelet' && certificateAuthority !== undefined
  return {
    rejectUnauthorized: verified,
    ALPNProtocols: ['http/1.1'],
    ...(verified && trustedCertificates(certificateAuthority)),
    ...(trust !== 'anything' && client && { cert: client.cert, key: client.key }),
  }
}

/** In place of a lookup: what an earlier one has found. */
const found =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses
    if (all) done(null, [...addresses])
    else if (first) done(null, first.address, first.family)
    else done(new DialError('no addresses'), '')
  }

/** Dials what an earlier lookup has found: a proxy would look the name up again, and might find what is not allowed. */
function dialFound(dial: Dial | undefined, addresses: readonly LookupAddress[] | undefined): Dial | undefined {
  const address = addresses?.[0]?.address
  return dial && address !== undefined ? (_host, port, done) => dial(address, port, done) : dial
}

/** Asks a kubelet, a pod, a service or a node, on a connection of its own. */
export const ask = (destination: Destination, kubelets: Kubelets, question: Question): Promise<Reply> =>
  askOver({ tls: tlsOf(destination.trust, kubelets), dial: kubelets.dial }, destination, question)

/** The same for all that is asked of them. */
export const askAsServer =
  (kubelets: Kubelets): Ask =>
  (destination, question) =>
    ask(destination, kubelets, question)

/**
 * Sends a request, and resolves with the head of the answer. Throws DialError where nobody answers. The signal ends the connection at any time, also after this has resolved, unless it was
 * upgraded: then it is the caller's.
 */
export async function askOver(transport: Transport, destination: Destination, question: Question): Promise<Reply> {
  for (;;) {
    const attempt = new Attempt(transport, destination, question)
    try {
      return await attempt.reply
    } catch (error) {
      // The other side may have closed a connection that was kept, before it has seen the request or behind it.
      if (!attempt.metClosedConnection || !REPEATABLE.has(question.method) || question.body || question.signal.aborted) throw error
    }
  }
}

/** A status that no response to a client can have, as Node's parser lets pass: Go calls codes of less than three digits malformed, and cannot pass on those below 100. */
function statusFault({ statusCode = 0 }: IncomingMessage): DialError | undefined {
  if (statusCode === 101) return new DialError('it switched protocols unasked')
  if (statusCode >= 100) return undefined
  return new DialError(`${BROKEN}: malformed HTTP status code "${String(statusCode).padStart(3, '0')}"`)
}

/** What is not sent is read all the same: some clients read a response only when they have sent their request. */
function sendBody(body: Readable, request: ClientRequest): void {
  request.once('close', () => body.unpipe(request).resume())
  body.on('error', error => request.destroy(error)).pipe(request)
}

/** One request on one connection. */
class Attempt {
  readonly reply: Promise<Reply>
  /** It failed on a connection that earlier requests have used. */
  metClosedConnection = false

  constructor({ tls, agent, certificates, ...transport }: Transport, destination: Destination, { method, headers, body, signal }: Question) {
    const { scheme, host, addresses } = destination
    const dial = dialFound(transport.dial, addresses)
    const port = destination.port === '' ? PORTS[scheme] : destination.port
    const address = `${hostText(host)}:${port}`
    const named = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
    const options: RequestOptions = {
      host,
      ...(addresses && { lookup: found(addresses) }),
      port,
      method,
      path: targetOf(destination),
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
                checkServerIdentity: checkServerName,
                ...tls,
                agent: agent ?? (dial ? new DialledTlsAgent(dial, {}) : new TlsAgent()),
              })
            : httpRequest({ ...options, agent: dial ? new DialledAgent(dial, {}) : false })
      } catch (error) {
        reject(new DialError(errorMessage(error)))
        return
      }
      boundExchange(request)
      readEarlyResponse(request)
      const timer = setTimeout(() => request.destroy(new DialError(`dial tcp ${address}: i/o timeout`)), DIAL_MS)
      const connected = (): void => clearTimeout(timer)
      request.on('socket', socket => {
        // What a proxy has dialled is connected already.
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
        if (signal.aborted) return reject(signal.reason)
        const told = error instanceof DialError ? error : dialError(error, address)
        certificates?.failed(told)
        reject(told)
      })
      request.on('response', response => {
        certificates?.answered(response.socket)
        const fault = statusFault(response)
        if (fault === undefined) return resolve({ response })
        response.destroy()
        reject(fault)
      })
      request.on('upgrade', (response, socket, head) => {
        certificates?.answered(response.socket)
        resolve({ response, upgraded: { socket, head } })
      })
      if (body) sendBody(body, request)
      else request.end()
    })
  }
}
