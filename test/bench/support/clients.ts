import http2 from 'node:http2'
import tls from 'node:tls'
import type { Cluster } from './cluster.ts'

/** Clients over HTTPS that cost little beside the server they measure. */
export interface Client {
  /**
   * Sends a request. Rejects if the response is not a success. `type` is that of the body, `accept` that of the
   * response, by default JSON. The body is returned if `keep` is set. `encoding` is the accepted encoding of the
   * response.
   */
  request(method: string, path: string, body?: Buffer, type?: string, keep?: boolean, accept?: string, encoding?: string): Promise<Answer>
  close(): void
}

export interface Answer {
  readonly length: number
  readonly kept: Buffer
}

const NONE = Buffer.alloc(0)
const JSON_TYPE = 'application/json'
const ALPN_OF = { h1: 'http/1.1', h2: 'h2' } as const
export type Protocol = keyof typeof ALPN_OF

/** A connection of its own for each of `connections`; over HTTP/2, where `streams` share one, as many again. */
export async function openClients(cluster: Cluster, protocol: Protocol, count: number): Promise<Client[]> {
  if (protocol === 'h1') return Promise.all(Array.from({ length: count }, () => openPlain(cluster)))
  const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(cluster)))
  return Array.from({ length: count }, (_, i) => sessions[i % sessions.length] as Client)
}

const secure = (cluster: Cluster) => ({
  host: cluster.host,
  port: cluster.port,
  rejectUnauthorized: false,
  ...(cluster.cert && { cert: cluster.cert }),
  ...(cluster.key && { key: cluster.key }),
})

/** HTTP/1.1 by hand, one request at a time. */
async function openPlain(cluster: Cluster): Promise<Client> {
  const socket = await openSocket(cluster)
  let pending: { resolve(answer: Answer): void; reject(error: Error): void; keep: boolean } | undefined
  let parts: Buffer[] = []
  let got = 0
  let body = -1
  let wanted = -1
  let chunked = false
  let status = 0
  const fail = (error: Error): void => {
    pending?.reject(error)
    pending = undefined
  }
  socket.on('error', fail).on('close', () => fail(new Error('the connection was closed')))
  socket.on('data', (data: Buffer) => {
    if (pending === undefined) return
    got += data.length
    if (wanted < 0 && !chunked) {
      parts.push(data)
      const text = (parts.length === 1 ? data : Buffer.concat(parts)).subarray(0, 4096).toString('latin1')
      body = text.indexOf('\r\n\r\n') + 4
      if (body < 4) return
      status = Number(text.slice(9, 12))
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
      chunked = length === undefined
      wanted = length === undefined ? -1 : body + Number(length)
      if (!(pending.keep || status >= 300 || chunked)) parts = []
    } else if (pending.keep || status >= 300) parts.push(data)
    const over = chunked
      ? data.subarray(-7).toString('latin1').endsWith('\r\n0\r\n\r\n') || data.toString('latin1') === '0\r\n\r\n'
      : got >= wanted
    if (!over) return
    const { resolve, reject, keep } = pending
    const kept = keep || status >= 300 ? Buffer.concat(parts).subarray(body) : NONE
    const answer = { length: got - body, kept }
    pending = undefined
    parts = []
    got = 0
    wanted = -1
    chunked = false
    if (status < 300) resolve(answer)
    else reject(new Error(`${status}: ${kept.toString().slice(0, 300)}`))
  })
  const common = `Host: ${cluster.host}:${cluster.port}\r\nUser-Agent: bench/1.0\r\n${cluster.authorization === undefined ? '' : `Authorization: ${cluster.authorization}\r\n`}`
  return {
    request: (method, path, content, type = JSON_TYPE, keep = false, accept = JSON_TYPE, encoding) =>
      new Promise((resolve, reject) => {
        pending = { resolve, reject, keep }
        const head = `${method} ${path} HTTP/1.1\r\n${common}Accept: ${accept}\r\n${encoding === undefined ? '' : `Accept-Encoding: ${encoding}\r\n`}${content === undefined ? '' : `Content-Type: ${type}\r\nContent-Length: ${content.length}\r\n`}\r\n`
        socket.write(content === undefined ? head : Buffer.concat([Buffer.from(head), content]))
      }),
    close: () => socket.destroy(),
  }
}

export function openSocket(cluster: Cluster): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ ...secure(cluster), ALPNProtocols: [ALPN_OF.h1] }, () => resolve(socket))
    socket.setNoDelay(true)
    socket.once('error', reject)
  })
}

export async function connectSession(cluster: Cluster): Promise<http2.ClientHttp2Session> {
  const { host, port, ...options } = secure(cluster)
  const session = http2.connect(`https://${host}:${port}`, { ...options, settings: { initialWindowSize: 4 << 20 } })
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject))
  session.setLocalWindowSize(32 << 20)
  return session
}

async function openSession(cluster: Cluster): Promise<Client> {
  const session = await connectSession(cluster)
  return {
    request: (method, path, content, type = JSON_TYPE, keep = false, accept = JSON_TYPE, encoding) =>
      new Promise((resolve, reject) => {
        const stream = session.request(
          {
            ':method': method,
            ':path': path,
            accept,
            'user-agent': 'bench/1.0',
            ...(encoding !== undefined && { 'accept-encoding': encoding }),
            ...(cluster.authorization !== undefined && { authorization: cluster.authorization }),
            ...(content && { 'content-type': type }),
          },
          { endStream: content === undefined },
        )
        let status = 0
        let length = 0
        const parts: Buffer[] = []
        stream.on('response', headers => {
          status = Number(headers[':status'])
        })
        stream.on('data', (data: Buffer) => {
          length += data.length
          if (keep || status >= 300) parts.push(data)
        })
        stream.on('error', reject)
        stream.on('end', () => {
          if (status < 300) resolve({ length, kept: Buffer.concat(parts) })
          else reject(new Error(`${status}: ${Buffer.concat(parts).toString().slice(0, 300)}`))
        })
        if (content) stream.end(content)
      }),
    close: () => session.close(),
  }
}
