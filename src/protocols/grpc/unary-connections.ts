import { type DialOptions, dialServer, peerAt } from './dial-server.ts'
import { UnaryConnection } from './unary-connection.ts'

/** Minimum time between two attempts to connect to a server. */
const PAUSE_MS = 1000

interface ServerMember {
  /** Whether the attempt to connect failed. */
  isLost: boolean
  /** Time of the attempt, by the monotonic clock. */
  readonly triedAt: number
  connection: UnaryConnection | undefined
  giveUp: () => void
}

/** Connections to several servers, one each. A connection is opened on first use, and reopened after it has ended. */
export class UnaryConnections {
  readonly #options: DialOptions
  readonly #members = new Map<string, ServerMember>()
  #closed = false

  constructor(options: DialOptions) {
    this.#options = options
  }

  /**
   * Returns the open connection to a server at `host:port` or `unix:path`. Otherwise starts connecting and returns
   * undefined. A connection failure is not reported: the caller falls back to another client, which reports it.
   */
  to(address: string): UnaryConnection | undefined {
    const member = this.#members.get(address)
    if (member?.connection?.state === 'open') return member.connection
    if (!this.#closed && (member === undefined || mayFollow(member))) this.#open(address)
    return undefined
  }

  #open(address: string): void {
    const member: ServerMember = { isLost: false, triedAt: performance.now(), connection: undefined, giveUp: () => {} }
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

/** Whether a connection that is not open may be replaced. */
function mayFollow({ isLost, triedAt, connection }: ServerMember): boolean {
  const isOver = isLost || connection?.state === 'ending' || connection?.state === 'closed'
  return isOver && connection?.isBroken !== true && performance.now() - triedAt > PAUSE_MS
}
