import { connect, isIP, type Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import type { Dial } from '../../lib/connect-proxy.ts'
import { connectTls } from '../../lib/server-certificate.ts'
import { checkServerName } from '../../lib/server-name.ts'
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

/** Connections to several servers, one each, opened when first asked for and again after they have ended. */
export class UnaryConnections {
  /** Undefined: without TLS. */
  readonly #credentials: SecureContextOptions | undefined
  readonly #userAgent: string
  readonly #dial: Dial | undefined
  readonly #members = new Map<string, Member>()
  readonly #sockets = new Set<Socket>()
  #closed = false

  /** `dial`: absent, servers are dialled directly. */
  constructor(userAgent: string, credentials: SecureContextOptions | undefined, dial?: Dial) {
    this.#userAgent = userAgent
    this.#dial = dial
    this.#credentials = credentials
  }

  /**
   * The connection to a server, by its host and port, if it is open. If it is not, this begins to open one and returns undefined; why that fails is not reported: the caller meets the
   * same failure on the way that it takes instead.
   */
  to(address: string): UnaryConnection | undefined {
    const member = this.#members.get(address)
    if (member?.connection?.state === 'open') return member.connection
    if (!this.#closed && (member === undefined || mayFollow(member))) this.#open(address)
    return undefined
  }

  #open(address: string): void {
    const place = placeOf(address)
    if (place === undefined) return
    const member: Member = { socket: undefined, isLost: false, triedAt: performance.now(), connection: undefined }
    this.#members.set(address, member)
    if (!this.#dial) this.#use(member, address, place)
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
  #use(member: Member, address: string, place: Place, dialled?: Socket): void {
    const secure = this.#credentials !== undefined
    const socket = secure
      ? connectTls({
          ...place,
          ...(dialled && { socket: dialled }),
          ...this.#credentials,
          checkServerIdentity: checkServerName,
          ALPNProtocols: ['h2'],
          ...(isIP(place.host) === 0 && { servername: place.host }),
        })
      : (dialled ?? connect(place))
    member.socket = socket
    this.#sockets.add(socket)
    socket.setTimeout(OPENING_MS, () => socket.destroy())
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket))
    const opened = (): void => {
      if ('alpnProtocol' in socket && socket.alpnProtocol !== 'h2') socket.destroy()
      else member.connection = new UnaryConnection(socket, { authority: address, secure, userAgent: this.#userAgent })
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

interface Place {
  readonly host: string
  readonly port: number
}

/** Undefined where it is no plain host and port. */
function placeOf(address: string): Place | undefined {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[^:/[\]]+):(\d+)$/.exec(address) ?? []
  return host === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
