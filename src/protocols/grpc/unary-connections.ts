import { connect, isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Dial } from '../../lib/connect-proxy.ts'
import { connectTls } from '../../lib/server-certificate.ts'
import { checkServerName } from '../../lib/server-name.ts'
import { type SocketAddress, serverNameOf, socketAddress } from '../../lib/socket-address.ts'
import { UnaryConnection } from './unary-connection.ts'

/** How long a connection may take to come about, and how long after one has failed or ended the next is tried. */
const OPENING_MS = 5000
const PAUSE_MS = 1000

interface Member {
  /** Absent until it has been dialled. */
  socket: Socket | undefined
  /** It could not be dialled. */
  isLost: boolean
  /** By the steady clock. */
  readonly triedAt: number
  connection: UnaryConnection | undefined
}

/** Returns what a connection that begins now trusts and presents. */
export type Credentials = () => Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'secureContext' | 'allowPartialTrustChain'>

/** Connections to several servers, one each, opened when first asked for and again after they have ended. */
export class UnaryConnections {
  readonly #credentials: Credentials | undefined
  readonly #userAgent: string
  readonly #dial: Dial | undefined
  readonly #members = new Map<string, Member>()
  readonly #sockets = new Set<Socket>()
  #closed = false

  /** `credentials`: undefined, connections are without TLS. `dial`: absent, servers are dialled directly, as those behind a unix socket always are. */
  constructor(userAgent: string, credentials: Credentials | undefined, dial?: Dial) {
    this.#userAgent = userAgent
    this.#dial = dial
    this.#credentials = credentials
  }

  /**
   * The connection to a server, by its host and port or `unix:` and a path, if it is open. If it is not, this begins to open one and returns undefined; why that fails is not reported: the caller meets the
   * same failure on the way that it takes instead.
   */
  to(address: string): UnaryConnection | undefined {
    const member = this.#members.get(address)
    if (member?.connection?.state === 'open') return member.connection
    if (!this.#closed && (member === undefined || mayFollow(member))) this.#open(address)
    return undefined
  }

  #open(address: string): void {
    const place = socketAddress(address)
    if (place === undefined) return
    const member: Member = { socket: undefined, isLost: false, triedAt: performance.now(), connection: undefined }
    this.#members.set(address, member)
    if (!this.#dial || 'path' in place) this.#use(member, address, place)
    else
      this.#dial(place.host, place.port, (_, dialled) => {
        if (dialled && !this.#closed) this.#use(member, address, place, dialled)
        else {
          member.isLost = true
          dialled?.destroy()
        }
      })
  }

  /** `dialled`: absent, the socket is yet to be connected. */
  #use(member: Member, address: string, place: SocketAddress, dialled?: Socket): void {
    const secure = this.#credentials !== undefined
    const socket = secure ? connectTls({ ...tlsOptions(place), ...(dialled && { socket: dialled }), ...this.#credentials() }) : (dialled ?? connect(place))
    member.socket = socket
    this.#sockets.add(socket)
    socket.setTimeout(OPENING_MS, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    const authority = 'path' in place ? 'localhost' : address
    const opened = (): void => {
      if ('alpnProtocol' in socket && socket.alpnProtocol !== 'h2') socket.destroy()
      else member.connection = new UnaryConnection(socket, { authority, secure, userAgent: this.#userAgent })
    }
    if (dialled && !secure) opened()
    else socket.once(secure ? 'secureConnect' : 'connect', opened)
  }

  close(): void {
    this.#closed = true
    for (const { connection } of this.#members.values()) connection?.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** Whether another connection may take the place of one that is not open. */
const mayFollow = ({ socket, isLost, triedAt, connection }: Member): boolean =>
  (isLost || socket?.destroyed || connection?.state === 'ending') && connection?.isBroken !== true && performance.now() - triedAt > PAUSE_MS

/** The certificate is checked for `host`, also where a path is dialled. */
function tlsOptions(place: SocketAddress): ConnectionOptions {
  const host = serverNameOf(place)
  return { host, ...place, checkServerIdentity: checkServerName, ALPNProtocols: ['h2'], ...(isIP(host) === 0 && { servername: host }) }
}
