import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Passes on connections of etcd's members to one of them. */
export interface PeerProxy {
  readonly url: string
  /**
   * Ends the connections of a member, by its id in hexadecimal, and rejects new ones. Default: those of all members.
   */
  cut(from?: string): void
  /** Passes on all connections again. */
  heal(): void
  close(): Promise<void>
}

/** Names the member that sends a request to another. Source: etcd, server/etcdserver/api/rafthttp/util.go */
const SENDER = /^X-Server-From: ([0-9a-f]+)\r$/m

export async function startPeerProxy(port: number): Promise<PeerProxy> {
  const senders = new Map<Socket, string>()
  const cut = new Set<string | undefined>()
  const isCut = (sender: string): boolean => cut.has(undefined) || cut.has(sender)
  const server = createServer(near => {
    near.on('error', () => {}).on('close', () => senders.delete(near))
    senders.set(near, '')
    near.once('data', first => {
      const sender = SENDER.exec(first.toString('latin1'))?.[1] ?? ''
      senders.set(near, sender)
      if (isCut(sender)) return void near.destroy()
      const far = connect(port, '127.0.0.1').on('error', () => near.destroy())
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
      far.write(first)
      near.pipe(far).pipe(near)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const endThose = (): void => {
    for (const [socket, sender] of senders) if (isCut(sender)) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    cut(from) {
      cut.add(from)
      endThose()
    },
    heal: () => cut.clear(),
    async close() {
      cut.add(undefined)
      endThose()
      server.close()
      await once(server, 'close')
    },
  }
}
