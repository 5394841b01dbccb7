import { connect, isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Dial } from '../../lib/connect-proxy.ts'
import { connectTls } from '../../lib/server-certificate.ts'
import { checkServerName } from '../../lib/server-name.ts'
import { type SocketAddress, serverNameOf, socketAddress } from '../../lib/socket-address.ts'
import type { Peer } from './unary.ts'

/** Time for a connection with its handshake. */
const OPENING_MS = 5000

/** Returns what a connection that begins now trusts and presents. */
export type Credentials = () => Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'secureContext' | 'allowPartialTrustChain'>

/** How servers are reached. */
export interface DialOptions {
  readonly userAgent: string
  /** Undefined: without TLS. */
  readonly credentials: Credentials | undefined
  /** Undefined: directly, as servers behind a unix socket always are. */
  readonly dial?: Dial | undefined
}

/** Called once, with a connected socket on which a timeout is set, or with the reason why there is none. Never called after the attempt was given up. */
export type Dialled = (socket: Socket | undefined, failure: Error | undefined) => void

/** Who is called at an address, for the heads of requests. */
export const peerAt = (address: string, { credentials, userAgent }: DialOptions): Peer => ({
  authority: address.startsWith('unix:') ? 'localhost' : address,
  secure: credentials !== undefined,
  userAgent,
})

/** Connects to a server by its `host:port` or `unix:path`. Returns a function that gives up. */
export function dialServer(address: string, { credentials, dial }: DialOptions, dialled: Dialled): () => void {
  let socket: Socket | undefined
  let isOver = false
  const end = (failure: Error | undefined): void => {
    if (isOver) return
    isOver = true
    dialled(failure ? undefined : socket, failure)
  }

  /** `through`: a connection by way of a proxy. */
  function use(place: SocketAddress, through?: Socket): void {
    if (isOver) return void through?.destroy()
    const opening = credentials ? connectTls({ ...tlsOptions(place), ...(through && { socket: through }), ...credentials() }) : (through ?? connect(place))
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
  else dial(place.host, place.port, (error, through) => (through ? use(place, through) : end(error ?? new Error('the proxy made no connection'))))
  return () => {
    isOver = true
    socket?.destroy()
  }
}

/** The certificate is checked for `host`, also where a path is dialled. */
function tlsOptions(place: SocketAddress): ConnectionOptions {
  const host = serverNameOf(place)
  return { host, ...place, checkServerIdentity: checkServerName, ALPNProtocols: ['h2'], ...(isIP(host) === 0 && { servername: host }) }
}
