import { createServer, type Server, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContext, TLSSocket } from 'node:tls'
import { invariant } from '../../lib/invariant.ts'
import { TurnBudget } from '../../protocols/http2/turn-budget.ts'
import type { Listener } from '../http/any-http.ts'
import { limitFields } from '../http/field-limit.ts'
import { encodeStatusAsJson } from '../http/status-body.ts'
import { type PassesOn, upgradeListener } from '../http/upgrade.ts'
import { HEADERS_CHECK_MS, HEADERS_MS, HTTP2_LIMITS, IDLE_MS, MAX_HEADER_BYTES } from '../limits.ts'
import { HandshakeTurns } from '../tls/handshake-turns.ts'
import type { ServingCertificates } from '../tls/serving-certificates.ts'
import { writeBounds } from '../tls/write-bounds.ts'
import type { ConnectionSource } from './connection-source.ts'
import { Connections, plainSocket } from './connections.ts'
import { readInTurns } from './http1-reading.ts'
import { http1Listener } from './http1-requests.ts'
import { HTTP2_STACKS, type Http2Session, type Http2Stack } from './http2-stacks.ts'
import { portRefusal, refusalStatus } from './insecure-port-guard.ts'
import { answerConnect, answerInvalidRequest } from './invalid-request.ts'
import { listening } from './listening.ts'
import { portOf } from './port-of.ts'

/**
 * Event of a server: a TLS connection is established. Arguments: its socket, and its HTTP/2 session if it speaks
 * HTTP/2.
 */
const SECURED = 'secured'

/** Options of Node's HTTP/1.1 servers, with and without TLS. */
const HTTP1_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  keepAliveTimeout: IDLE_MS,
  headersTimeout: HEADERS_MS,
  connectionsCheckingInterval: HEADERS_CHECK_MS,
  // Checked by `faultOfFields`, with Go's messages.
  requireHostHeader: false,
}

const never: PassesOn = () => false

/** Serves HTTP/1.1. `own`: Node's connection listener. Returns a function that serves a connection. */
function serveHttp1(server: AnyServer, listener: Listener, own: (socket: Duplex) => void, passesOn: PassesOn): (socket: Duplex) => void {
  const turns = new TurnBudget()
  const take = (socket: Duplex): void => {
    own(socket)
    readInTurns(socket, turns)
  }
  limitFields(server)
  server.on('request', http1Listener(listener))
  server.on('upgrade', upgradeListener(listener, take, passesOn))
  server.on('connect', answerConnect)
  server.on('clientError', answerInvalidRequest)
  return take
}

/** Returns the listener with which Node's server serves a connection. Called before other listeners are added. */
function ownListener(server: AnyServer, event: 'connection' | 'secureConnection'): (socket: Duplex) => void {
  const [own] = server.listeners(event)
  invariant(own, `a server without a listener for ${event}`)
  return socket => own.call(server, socket)
}

/** An open port. */
export interface Port {
  readonly port: number
  /** Stops accepting connections, asks open ones to finish, and resolves when all are closed. */
  close(): Promise<void>
  /** Asks open connections to finish again: those that were busy at `close` may be idle now. */
  finish(): void
  /** Closes the connections that are still open. */
  destroy(): void
}

/** Options of an HTTPS port. */
export interface SecurePortOptions {
  readonly certificates: ServingCertificates
  /** Optional. Omitted if HTTP/2 is disabled. */
  readonly http2?: Http2Stack | undefined
  /** Concurrent streams of an HTTP/2 connection. Defaults to 1000. */
  readonly maxStreams?: number
  /** Whether client certificates are requested. Defaults to true. */
  readonly asksCertificates?: boolean
  /** Called for each failed TLS handshake. */
  readonly onHandshakeError?: () => void
  /** Optional. Whether requests for a path are proxied to another server. By default, none are. */
  readonly passesOn?: PassesOn
}

/** HTTPS port with HTTP/2 and HTTP/1.1 by ALPN. Client certificates are optional; the authenticator verifies them. */
export function createSecurePort(
  listener: Listener,
  { certificates, http2, maxStreams, asksCertificates = true, onHandshakeError, passesOn = never }: SecurePortOptions,
): HttpsServer {
  const limits = maxStreams === undefined ? HTTP2_LIMITS : { ...HTTP2_LIMITS, maxConcurrentStreams: maxStreams }
  const serveHttp2 = http2 && HTTP2_STACKS[http2](listener, limits)
  const server = createHttpsServer({
    ...certificates.options(),
    ALPNProtocols: serveHttp2 ? ['h2', 'http/1.1'] : ['http/1.1'],
    requestCert: asksCertificates,
    rejectUnauthorized: false,
    handshakeTimeout: HEADERS_MS,
    ...HTTP1_OPTIONS,
  })
  if (certificates.hasAddresses) certifyAddresses(server, certificates)
  const takeHttp1 = serveHttp1(server, listener, ownListener(server, 'secureConnection'), passesOn)
  server.removeAllListeners('secureConnection')
  const boundWrites = writeBounds()
  const handshakes = new HandshakeTurns()
  server.on('connection', (socket: Socket) => handshakes.add(socket))
  server.on('secureConnection', (socket: TLSSocket) => {
    handshakes.end(plainSocket(socket))
    // node:http does so for its own connections. Otherwise a response of several writes would wait for the client's
    // delayed acknowledgement.
    socket.setNoDelay(true)
    boundWrites(socket)
    const session = socket.alpnProtocol === 'h2' ? serveHttp2?.(socket) : undefined
    server.emit(SECURED, socket, session)
    if (session === undefined) takeHttp1(socket)
  })
  // The client broke off its handshake or connection.
  server.on('tlsClientError', (_error, socket) => {
    onHandshakeError?.()
    socket.destroy()
  })
  return server
}

/** Property in which a TLS server keeps the context of connections without a server name. Node's types omit it. */
interface WithContext {
  _sharedCreds: SecureContext
}

const hasContext = (server: object): server is WithContext => '_sharedCreds' in server

/**
 * Serves connections to an address with a certificate of its own with the context of that certificate. Clients that
 * connect by address send no server name, and Node then does not call the SNI callback.
 */
function certifyAddresses(server: HttpsServer, certificates: ServingCertificates): void {
  const take = ownListener(server, 'connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const context = certificates.forAddress(socket.localAddress)
    if (context === undefined) return take(socket)
    invariant(hasContext(server), 'a server of TLS has a context')
    const ordinary = server._sharedCreds
    server._sharedCreds = context
    try {
      take(socket)
    } finally {
      server._sharedCreds = ordinary
    }
  })
}

/**
 * Plain HTTP without authentication, for loopback only. Requests by web pages through a browser of this machine are
 * refused.
 */
export function createInsecurePort(listener: Listener, passesOn: PassesOn = never): Server {
  const guarded: Listener = (req, res) => {
    const refused = portRefusal(req)
    if (refused === undefined) return listener(req, res)
    const { contentType, bytes } = encodeStatusAsJson(refusalStatus(refused))
    invariant(res instanceof ServerResponse, 'the port speaks HTTP/1.1')
    res.writeHead(403, { 'Content-Type': contentType, 'Content-Length': bytes.length }).end(bytes)
  }
  const server = createServer(HTTP1_OPTIONS)
  const take = serveHttp1(server, guarded, ownListener(server, 'connection'), passesOn)
  server.removeAllListeners('connection').on('connection', take)
  return server
}

type AnyServer = Server | HttpsServer

function trackConnections(server: AnyServer, connections = new Connections()): Connections {
  server.on('connection', (socket: Socket) => connections.add(socket))
  server.on(SECURED, (socket: TLSSocket, session: Http2Session | undefined) => connections.secured(socket, session))
  return connections
}

/** Closes idle connections, and asks HTTP/2 clients to finish. */
function closeIdle(server: AnyServer, connections: Connections): void {
  connections.leave()
  server.closeIdleConnections()
}

/** Starts to listen. Rejects if the address cannot be used. */
export async function open(server: AnyServer, port: number, host: string, followed?: Connections): Promise<Port> {
  const connections = trackConnections(server, followed)
  await listening(server, host, port)
  return {
    port: portOf(server),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        closeIdle(server, connections)
      }),
    finish: () => closeIdle(server, connections),
    destroy: () => connections.destroy(),
  }
}

/** Serves the connections of a port that another process holds. */
export function serveHanded(server: AnyServer, source: ConnectionSource): Port {
  const connections = trackConnections(server)
  let onGone: () => void = () => {}
  // Node starts its checks for slow clients when a server listens.
  server.emit('listening')
  source.open(socket => {
    // The defaults of connections that node:http accepts.
    socket.allowHalfOpen = true
    socket.setNoDelay(true)
    server.emit('connection', socket)
    socket.once('close', () => onGone())
  })
  return {
    port: source.port,
    close: () =>
      new Promise(resolve => {
        source.close()
        onGone = () => {
          if (connections.size === 0) resolve()
        }
        closeIdle(server, connections)
        onGone()
      }),
    finish: () => closeIdle(server, connections),
    destroy: () => connections.destroy(),
  }
}
