import { constants } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { Http2Connection } from '../protocols/http2/connection.ts'
import type { Listener } from './app.ts'
import { refusalOf, refusalStatus } from './insecure-port-guard.ts'
import { answerInvalidRequest } from './invalid-request.ts'
import { encodeStatusAsJson } from './status-body.ts'
import { upgradeListener } from './upgrade.ts'
import type { ConnectionSource } from './workers/worker-link.ts'

export interface TlsMaterial {
  /** PEM, chain included. */
  readonly cert: string
  readonly key: string
  /** PEM of the CAs whose client certificates are believed. */
  readonly clientCa: string
}

/** As many header fields as Node takes over HTTP/1.1. */
const MAX_HEADERS = 2000
/** Upstream's: what a header may hold in Go, how long a connection may idle, how long headers may take. */
const MAX_HEADER_BYTES = 1 << 20
const IDLE_MS = 90_000
const HEADERS_MS = 32_000
/** Connections of one listener; beyond, new ones are closed at once. */
const MAX_CONNECTIONS = 20_000

/** As Go's: the shorter key first, which costs a fifth less where the processor does AES. */
const CIPHERS = ['TLS_AES_128_GCM_SHA256', ...constants.defaultCoreCipherList.split(':').filter(name => name !== 'TLS_AES_128_GCM_SHA256')].join(':')

/**
 * As in Go: a connection keeps the certificate that it was verified with (by renegotiation a client could show another one, which nobody verifies), and every connection
 * shows its own (a resumed session would keep the verdict of an earlier one). Without tickets nothing is left to resume by: Node's cache of sessions is off unless one listens for it.
 */
const ONE_VERIFIED_HANDSHAKE = constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET

/** As kube-apiserver's --http2-max-streams-per-connection and net/http have them. */
const HTTP2_LIMITS = {
  maxConcurrentStreams: 1000,
  streamWindow: 256 * 1024,
  connectionWindow: 4 << 20,
  maxHeaderBytes: MAX_HEADER_BYTES,
  maxHeaders: MAX_HEADERS,
}

/** A server's event: a connection that speaks HTTP/2, and its socket. */
const HTTP2_CONNECTION = 'http2Connection'

/** A port that serves, and can be told to stop. */
export interface Port {
  readonly port: number
  /** Takes no new connections, asks the open ones to finish, and resolves when they have gone. */
  close(): Promise<void>
  /** Asks again those that had something to do before. */
  finish(): void
  /** Cuts what is still open. */
  destroy(): void
}

/** HTTPS with HTTP/2 and HTTP/1.1 by ALPN. A client may show a certificate; whether it is good is the authenticator's question. */
export function createSecurePort(tls: TlsMaterial, listener: Listener): HttpsServer {
  const server = createHttpsServer({
    ALPNProtocols: ['h2', 'http/1.1'],
    cert: tls.cert,
    key: tls.key,
    ca: tls.clientCa,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    secureOptions: ONE_VERIFIED_HANDSHAKE,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    headersTimeout: HEADERS_MS,
  })
  server.on('request', listener)
  server.on(
    'upgrade',
    upgradeListener(listener, socket => server.emit('secureConnection', socket)),
  )
  const [serveHttp1] = server.listeners('secureConnection') as [(this: unknown, socket: TLSSocket) => void]
  server.off('secureConnection', serveHttp1)
  server.on('secureConnection', (socket: TLSSocket) => {
    // As node:http does for its own: an answer of several writes would wait for the client's delayed acknowledgement.
    socket.setNoDelay(true)
    if (socket.alpnProtocol !== 'h2') return serveHttp1.call(server, socket)
    const connection = new Http2Connection(socket, listener, HTTP2_LIMITS)
    server.emit(HTTP2_CONNECTION, connection, socket)
    socket.setTimeout(IDLE_MS, () => {
      if (connection.open === 0) connection.leave()
    })
  })
  // A client that breaks off its handshake or connection is no concern of ours.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.on('clientError', answerInvalidRequest as (error: Error, socket: Duplex) => void)
  return server
}

/** Plain HTTP without credentials, for loopback only. Requests that a web page sends by a browser of this machine are refused. */
export function createInsecurePort(listener: Listener): Server {
  const guarded: Listener = (req, res) => {
    const refused = refusalOf(req)
    if (refused === undefined) return listener(req, res)
    const { contentType, bytes } = encodeStatusAsJson(refusalStatus(refused), undefined)
    ;(res as ServerResponse).writeHead(403, { 'Content-Type': contentType, 'Content-Length': bytes.length }).end(bytes)
  }
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: IDLE_MS, headersTimeout: HEADERS_MS }, guarded)
  server.on(
    'upgrade',
    upgradeListener(guarded, socket => server.emit('connection', socket)),
  )
  server.on('clientError', answerInvalidRequest as (error: Error, socket: Duplex) => void)
  return server
}

type AnyServer = Server | HttpsServer

/** What is open of a server. */
interface Connections {
  readonly sockets: ReadonlySet<Socket>
  /** Asks those that are idle to go, and those of HTTP/2 to finish. */
  finish(): void
  destroy(): void
}

function follow(server: AnyServer): Connections {
  const sockets = new Set<Socket>()
  const connections = new Set<Http2Connection>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on(HTTP2_CONNECTION, (connection: Http2Connection, socket: Socket) => {
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  })
  return {
    sockets,
    finish() {
      for (const connection of connections) connection.leave()
      server.closeIdleConnections()
    },
    destroy() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Starts to listen. Rejects where the address can't be had. */
export async function open(server: AnyServer, port: number, host: string): Promise<Port> {
  server.maxConnections = MAX_CONNECTIONS
  const connections = follow(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        connections.finish()
      }),
    finish: connections.finish,
    destroy: connections.destroy,
  }
}

/** Serves the connections of a port that another process holds. */
export function serveHanded(server: AnyServer, source: ConnectionSource): Port {
  const { sockets, finish, destroy } = follow(server)
  let onGone: () => void = () => {}
  // A server that listens looks after slow clients from then on.
  server.emit('listening')
  source.open(socket => {
    if (sockets.size >= MAX_CONNECTIONS) return void socket.destroy()
    // As a server of its own would make them.
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
          if (sockets.size === 0) resolve()
        }
        finish()
        onGone()
      }),
    finish,
    destroy,
  }
}
