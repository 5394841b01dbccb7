import { Agent } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'

/** Opens a connection to a server of this process. It needs no TLS. */
export type OpenConnection = () => Duplex

/**
 * Returns the two ends of a connection. If one end is destroyed before it has sent and received everything, the other
 * end is destroyed as well, as a socket is reset.
 */
export function connectionPair(): [Duplex, Duplex] {
  const [near, far] = duplexPair()
  const resets = (end: Duplex, other: Duplex): void => {
    end.once('close', () => {
      if (!end.readableEnded || !end.writableFinished) other.destroy()
    })
  }
  resets(near, far)
  resets(far, near)
  return [near, far]
}

/** An agent whose requests each have a connection of their own in the process. */
export class InProcessAgent extends Agent {
  readonly #open: OpenConnection

  constructor(open: OpenConnection) {
    super({ keepAlive: false })
    this.#open = open
  }

  override createConnection(): Duplex {
    return this.#open()
  }
}
