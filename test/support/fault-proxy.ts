import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP proxy between a client and a server that breaks connections in the ways that networks and balancers do. */
export interface FaultProxy {
  readonly port: number
  /** Where new connections go: a URL, of which host and port count. */
  direct(url: string): void
  /** Resets every connection, on both sides. */
  reset(): void
  /** Ends every connection towards the client, as one that is closed; what the client still sends is let through. */
  halfClose(): void
  /** Of the next piece that each connection has for the client, half is given, and then the connection is reset. */
  tear(): void
  /**
   * Lets nothing through any more on the connections there are, which stay open. Gives what resets those of them that
   * still are.
   */
  stall(): () => void
  /** New connections are taken, and wait. Gives what lets them through. */
  hold(): () => void
  /** Takes no new connections: the client's are refused. */
  refuse(): void
  accept(): Promise<void>
  close(): void
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
  torn: boolean
}

/** Listens on a free port of loopback, the same over refusals. */
export async function startFaultProxy(url: string): Promise<FaultProxy> {
  const pairs = new Set<Pair>()
  let target = new URL(url)
  let port = 0
  let listener: Server | undefined
  let held: Socket[] | undefined

  const cut = ({ client, server }: Pair): void => {
    // Node never lets go of a socket that is reset while it is being ended.
    for (const side of [client, server]) side.writableEnded ? side.destroy() : side.resetAndDestroy()
  }
  const join = (client: Socket): void => {
    const server = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    const pair: Pair = { client, server, torn: false }
    pairs.add(pair)
    client.setNoDelay(true).on('data', (data: Buffer) => server.write(data))
    client.resume()
    server.on('data', (data: Buffer) => {
      if (!pair.torn) return void client.write(data)
      client.write(data.subarray(0, data.length >> 1), () => cut(pair))
    })
    // One that has ended on one side is closed on the other, once it has been given all there was.
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => cut(pair))
      one.on('end', () => other.end())
      one.on('close', () => {
        pairs.delete(pair)
        other.destroySoon()
      })
    }
  }
  const each = (act: (pair: Pair) => void): void => {
    for (const pair of pairs) act(pair)
  }
  const proxy: FaultProxy = {
    get port() {
      return port
    },
    direct(to) {
      target = new URL(to)
    },
    reset: () => each(cut),
    halfClose: () => each(({ client, server }) => client.end() && server.removeAllListeners('data').resume()),
    tear: () =>
      each(pair => {
        pair.torn = true
      }),
    stall() {
      const stalled = [...pairs]
      for (const pair of stalled) for (const side of [pair.client, pair.server]) side.removeAllListeners('data').pause()
      return () => stalled.forEach(cut)
    },
    hold() {
      held = []
      return () => {
        const waiting = held ?? []
        held = undefined
        for (const client of waiting) if (!client.destroyed) join(client)
      }
    },
    refuse() {
      // Connections that are open stay, so its end is not waited for.
      listener?.close()
      listener = undefined
    },
    async accept() {
      if (listener !== undefined) return
      listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, client => {
        client.on('error', () => client.destroy())
        if (held === undefined) join(client)
        else held.push(client)
      }).listen(port, '127.0.0.1')
      await once(listener, 'listening')
      const address = listener.address()
      port = typeof address === 'object' && address ? address.port : port
    },
    close() {
      proxy.refuse()
      each(cut)
      for (const client of held ?? []) client.destroy()
    },
  }
  await proxy.accept()
  return proxy
}
