import { once } from 'node:events'
import type { ClientHttp2Session } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { connectSession, openSocket, type Protocol } from './clients.ts'
import type { Cluster } from './cluster.ts'

/**
 * Creates a reader for the bytes of one watch, without the head of the response; over HTTP/1.1 with chunked framing.
 */
type Reader = () => (data: Buffer) => void

interface Watches {
  close(): void
}

/** Opens watches of a path: over HTTP/1.1 each on a connection of its own, over HTTP/2 a hundred on each. */
export const openWatches = (cluster: Cluster, protocol: Protocol, watchers: number, path: string, reader: Reader): Promise<Watches> =>
  (protocol === 'h1' ? watchPlain : watchStreams)(cluster, watchers, path, reader)

/** A connection for each watch. */
async function watchPlain(cluster: Cluster, watchers: number, path: string, reader: Reader): Promise<Watches> {
  const { host, port, authorization } = cluster
  const sockets: TLSSocket[] = []
  for (let i = 0; i < watchers; i++) {
    const read = reader()
    const socket = await openSocket(cluster)
    let head = true
    socket.on('data', data => {
      if (!head) return read(data)
      const end = data.indexOf('\r\n\r\n')
      if (end < 0) return
      head = false
      read(data.subarray(end + 4))
    })
    sockets.push(socket)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nAccept: application/json\r\nUser-Agent: bench/1.0\r\n${authorization ? `Authorization: ${authorization}\r\n` : ''}\r\n`,
    )
  }
  return {
    close: () => {
      for (const socket of sockets) socket.on('error', () => {}).destroy()
    },
  }
}

/** Opens watches as client-go does: a hundred share a connection. */
async function watchStreams(cluster: Cluster, watchers: number, path: string, reader: Reader): Promise<Watches> {
  const sessions: ClientHttp2Session[] = []
  for (let i = 0; i < watchers; i++) {
    if (i % 100 === 0) sessions.push(await connectSession(cluster))
    const stream = (sessions.at(-1) as ClientHttp2Session).request({
      ':path': path,
      accept: 'application/json',
      'user-agent': 'bench/1.0',
      ...(cluster.authorization !== undefined && { authorization: cluster.authorization }),
    })
    const read = reader()
    stream.on('data', read).on('error', () => {})
    await once(stream, 'response')
  }
  return {
    close: () => {
      for (const session of sessions) session.on('error', () => {}).destroy()
    },
  }
}
