import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { type ClientHttp2Session, connect } from 'node:http2'
import { load } from 'js-yaml'

export interface WireRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string | undefined
}

export interface WireAnswer {
  /** Status code. 0 if there was no response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export type WireName = 'HTTP/1.1' | 'HTTP/2'

/** Bytes as they are, over HTTP/1.1 (plain) and HTTP/2 (TLS, as the kubeconfig's user). */
export interface TwoWires {
  send(wire: WireName, asked: WireRequest): Promise<WireAnswer>
  /** A new session of the user. */
  session(): ClientHttp2Session
  close(): void
}

export function twoWires(url: string, secureUrl: string, kubeconfig: string): TwoWires {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(url)
  const { clusters, users } = load(readFileSync(kubeconfig, 'utf8')) as Record<string, [Record<string, Record<string, string>>]>
  const pem = (data: string | undefined): Buffer => Buffer.from(data ?? '', 'base64')
  const tls = {
    ca: pem(clusters?.[0].cluster?.['certificate-authority-data']),
    cert: pem(users?.[0].user?.['client-certificate-data']),
    key: pem(users?.[0].user?.['client-key-data']),
  }
  const open = new Set<ClientHttp2Session>()
  const session = (): ClientHttp2Session => {
    const made = connect(secureUrl, { ...tls, maxSendHeaderBlockLength: 2 << 20 })
    open.add(made)
    made.on('error', () => {}).on('close', () => open.delete(made))
    return made
  }
  let kept: ClientHttp2Session | undefined

  const overHttp1 = ({ method = 'GET', path, headers = {}, body }: WireRequest): Promise<WireAnswer> =>
    new Promise(resolve => {
      const lost = (): void => resolve({ status: 0, headers: {}, body: Buffer.alloc(0) })
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      const asked = request({ hostname, port, method, path, agent, headers: { ...length, ...headers } }, answer => {
        const parts: Buffer[] = []
        answer
          .on('data', (part: Buffer) => parts.push(part))
          .on('error', () => {})
          .on('close', () =>
            resolve({ status: answer.complete ? (answer.statusCode ?? 0) : 0, headers: answer.headers, body: Buffer.concat(parts) }),
          )
      })
      asked.on('error', lost).end(body)
    })
  const overHttp2 = ({ method = 'GET', path, headers = {}, body }: WireRequest): Promise<WireAnswer> =>
    new Promise(resolve => {
      if (kept === undefined || kept.closed || kept.destroyed) kept = session()
      const stream = kept.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined })
      const parts: Buffer[] = []
      let status = 0
      let told: WireAnswer['headers'] = {}
      stream
        .on('response', received => {
          status = received[':status'] ?? 0
          told = received as WireAnswer['headers']
        })
        .on('data', (part: Buffer) => parts.push(part))
        .on('error', () => {})
        .on('close', () => resolve({ status, headers: told, body: Buffer.concat(parts) }))
      if (body !== undefined) stream.end(body)
    })
  return {
    send: (wire, asked) => (wire === 'HTTP/1.1' ? overHttp1(asked) : overHttp2(asked)),
    session,
    close() {
      agent.destroy()
      for (const one of open) one.destroy()
    },
  }
}
