import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import https from 'node:https'
import { load } from 'js-yaml'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly raw: readonly string[]
  readonly body: Buffer
}

export interface Asked {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Buffer | undefined
  /** Without credentials. */
  readonly anonymous?: boolean | undefined
}

/** HTTP/1.1 to the server that a kubeconfig names. */
export interface ProbeClient {
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** Resolves at the head of the response. Destroy the response to end it. */
  open(path: string, asked?: Asked): Promise<IncomingMessage>
  close(): void
}

interface Kubeconfig {
  readonly clusters: readonly [
    {
      readonly cluster: {
        readonly server: string
        readonly 'certificate-authority-data'?: string
        readonly 'insecure-skip-tls-verify'?: boolean
      }
    },
  ]
  readonly users: readonly [
    { readonly user: { readonly 'client-certificate-data'?: string; readonly 'client-key-data'?: string; readonly token?: string } },
  ]
}

const TIMEOUT_MS = 60_000

/** `kubeconfig`: a file with one cluster and one user, its certificates or its token within. */
export function createProbeClient(kubeconfig: string): ProbeClient {
  const config = load(readFileSync(kubeconfig, 'utf8')) as Kubeconfig
  const { cluster } = config.clusters[0]
  const { user } = config.users[0]
  const pem = (data: string | undefined): Buffer | undefined => (data === undefined ? undefined : Buffer.from(data, 'base64'))
  const ca = pem(cluster['certificate-authority-data'])
  const options = { keepAlive: true, ...(ca && { ca }), rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true }
  const cert = pem(user['client-certificate-data'])
  const key = pem(user['client-key-data'])
  const known = new https.Agent({ ...options, ...(cert && key && { cert, key }) })
  const unknown = new https.Agent(options)
  const { hostname, port } = new URL(cluster.server)

  const send = (method: string, path: string, { headers = {}, body, anonymous }: Asked): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const bearer = user.token === undefined || anonymous ? {} : { authorization: `Bearer ${user.token}` }
      const all = { 'user-agent': 'probe/1.0', ...bearer, ...headers, ...(body && { 'content-length': body.length }) }
      const request = https.request({ host: hostname, port, method, path, headers: all, agent: anonymous ? unknown : known }, resolve)
      request.setTimeout(TIMEOUT_MS, () => request.destroy(new Error('the server took too long')))
      request.on('error', reject)
      request.end(body)
    })

  return {
    async ask(method, path, asked = {}) {
      const response = await send(method, path, asked)
      const parts: Buffer[] = []
      for await (const part of response) parts.push(part as Buffer)
      return { status: response.statusCode ?? 0, headers: response.headers, raw: response.rawHeaders, body: Buffer.concat(parts) }
    },
    open: (path, asked = {}) => send('GET', path, asked),
    close() {
      known.destroy()
      unknown.destroy()
    },
  }
}
