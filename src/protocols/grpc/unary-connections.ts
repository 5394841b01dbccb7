import { type DialOptions, dialServer, peerAt } from './dial-server.ts'
import { UnaryConnection } from './unary-connection.ts'

/** How long after a connection has failed or ended the next is tried. */
const PAUSE_MS = 1000

interface Member {
  /** The attempt to connect has failed. */
  isLost: boolean
  /** By the steady clock. */
  readonly triedAt: number
  connection: UnaryConnection | undefined
  giveUp: () => void
}

/** Connections to several servers, one each, opened when first asked for and again after they have ended. */
export class UnaryConnections {
  readonly #options: DialOptions
  readonly #members = new Map<string, Member>()
  #closed = false

  constructor(options: DialOptions) {
    this.#options = options
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
    const member: Member = { isLost: false, triedAt: performance.now(), connection: undefined, giveUp: () => {} }
    this.#members.set(address, member)
    member.giveUp = dialServer(address, this.#options, socket => {
      if (socket) member.connection = new UnaryConnection(socket, peerAt(address, this.#options))
      else member.isLost = true
    })
  }

  close(): void {
    this.#closed = true
    for (const { connection, giveUp } of this.#members.values()) {
      giveUp()
      connection?.close()
    }
  }
}

/** Whether another connection may take the place of one that is not open. */
function mayFollow({ isLost, triedAt, connection }: Member): boolean {
  const isOver = isLost || connection?.state === 'ending' || connection?.state === 'closed'
  return isOver && connection?.isBroken !== true && performance.now() - triedAt > PAUSE_MS
}
