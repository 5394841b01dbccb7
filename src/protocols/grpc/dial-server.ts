import { connect, isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Dial } from '../../lib/connect-proxy.ts'
import { connectTls } from '../../lib/server-certificate.ts'
import { checkServerName } from '../../lib/server-name.ts'
import { type SocketAddress, serverNameOf, socketAddress } from '../../lib/socket-address.ts'
import type { Peer } from './unary.ts'

/** Time limit for connecting, including the TLS handshake. */
const OPENING_MS = 5000

/**
 * Returns the credentials of a new connection: trusted authorities and the client certificate. Called for each
 * connection, so that rotated files are used.
 */
export type DialCredentials = () => Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'secureContext' | 'allowPartialTrustChain'>

/** How to connect to servers. */
export interface DialOptions {
  readonly userAgent: string
  /** TLS credentials. Undefined to connect without TLS. */
  readonly credentials: DialCredentials | undefined
  /** Optional. Connects through a proxy. Servers on a unix socket are always connected to directly. */
  readonly dial?: Dial | undefined
}

/**
 * Receives a connected socket with a timeout, or the reason of the failure. Called once, and never after the attempt
 * was abandoned.
 */
export type Dialled = (socket: Socket | undefined, failure: Error | undefined) => void

/** Returns the peer at an address, for request headers. */
export const peerAt = (address: string, { credentials, userAgent }: DialOptions): Peer => ({
  authority: address.startsWith('unix:') ? 'localhost' : address,
  secure: credentials !== undefined,
  userAgent,
})

/** Connects to a server at `host:port` or `unix:path`. Returns a function that abandons the attempt. */
export function dialServer(address: string, { credentials, dial }: DialOptions, dialled: Dialled): () => void {
  let socket: Socket | undefined
  let isOver = false
  const end = (failure: Error | undefined): void => {
    if (isOver) return
    isOver = true
    dialled(failure ? undefined : socket, failure)
  }

  /**
   * Connects to an address.
   * `through`: socket that a proxy has connected to it.
   */
  function use(place: SocketAddress, through?: Socket): void {
    if (isOver) return void through?.destroy()
    const opening = credentials
      ? connectTls({ ...tlsOptions(place), ...(through && { socket: through }), ...credentials() })
      : (through ?? connect(place))
    socket = opening
    opening.setTimeout(OPENING_MS, () => opening.destroy())
    opening.on('error', end).once('close', () => end(new Error('the connection was closed')))
    const ready = (): void => {
      if ('alpnProtocol' in opening && opening.alpnProtocol !== 'h2') opening.destroy(new Error('the server does not speak HTTP/2'))
      else end(undefined)
    }
    if (through && !credentials) ready()
    else opening.once(credentials ? 'secureConnect' : 'connect', ready)
  }

  const place = socketAddress(address)
  if (!place) end(new Error(`${JSON.stringify(address)} is not an address`))
  else if (!dial || 'path' in place) use(place)
  else
    dial(place.host, place.port, (error, through) =>
      through ? use(place, through) : end(error ?? new Error('the proxy made no connection')),
    )
  return () => {
    isOver = true
    socket?.destroy()
  }
}

/**
 * Returns TLS options. The certificate is verified for the server's name, also if the connection is to a unix socket.
 */
function tlsOptions(place: SocketAddress): ConnectionOptions {
  const host = serverNameOf(place)
  return { host, ...place, checkServerIdentity: checkServerName, ALPNProtocols: ['h2'], ...(isIP(host) === 0 && { servername: host }) }
}
