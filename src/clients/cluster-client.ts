import { request as requestPlain } from 'node:http'
import { Agent, request as requestTls } from 'node:https'
import { parseJson } from '../codec/json.ts'
import { parsedObject } from '../meta/json-members.ts'
import type { Json } from '../meta/object.ts'
import type { ClusterAccess } from './cluster-access.ts'

/** A request may take this long. */
const TIMEOUT_MS = 60_000
/** More of one answer is not read: lists come in chunks. */
const MOST_BYTES = 256 * 1024 * 1024

/** An answer that is not a success, or none. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
  /** Undefined where there was no answer. */
  readonly status: number | undefined
  /** Of the header, where it says seconds. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, status?: number, retryAfter?: string) {
    super(message)
    this.status = status
    this.retryAfterSeconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
  }
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly accept: string
  /** JSON. */
  readonly body?: string
}

/** Asks a server, one request after the other on a connection that stays. */
export class ClusterClient {
  readonly server: URL
  readonly #access: ClusterAccess
  readonly #agent: Agent | undefined

  constructor(access: ClusterAccess) {
    this.server = access.server
    this.#access = access
    this.#agent = access.server.protocol === 'https:' ? new Agent({ keepAlive: true, maxSockets: 4, ...access.tls }) : undefined
  }

  /** Throws ClusterError. */
  json(path: string, method: 'GET' | 'POST' = 'GET'): Promise<Json> {
    return this.send(method, path)
  }

  /** Throws ClusterError. */
  async send(method: string, path: string, body?: Json): Promise<Json> {
    const bytes = await this.bytes({ method, path, accept: 'application/json', ...(body !== undefined && { body: JSON.stringify(body) }) })
    try {
      return parseJson(bytes).value
    } catch {
      throw new ClusterError(`${path}: the answer is no JSON`)
    }
  }

  /** Throws ClusterError. */
  async text(path: string): Promise<string> {
    return (await this.bytes({ method: 'GET', path, accept: 'text/plain' })).toString()
  }

  private bytes({ method, path, accept, body }: Asked): Promise<Buffer> {
    const { server } = this.#access
    const url = new URL(server.pathname.replace(/\/$/, '') + path, server)
    const headers = { ...this.#access.headers, accept, 'user-agent': 'binnacle', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const options = { method, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void =>
        reject(new ClusterError(`${url.origin}${path}: ${error.message || ('code' in error ? String(error.code) : 'no answer')}`))
      const request = this.#agent ? requestTls(url, { ...options, agent: this.#agent }) : requestPlain(url, options)
      request.on('error', fail).on('response', response => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('error', fail).on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MOST_BYTES) response.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        response.on('end', () => {
          const answer = Buffer.concat(chunks)
          if (response.statusCode === 200 || response.statusCode === 201) resolve(answer)
          else reject(new ClusterError(`${path}: ${response.statusCode} ${messageOf(answer.toString())}`, response.statusCode, response.headers['retry-after']))
        })
      })
      request.end(body)
    })
  }

  close(): void {
    this.#agent?.destroy()
  }
}

/** Of a Status, or the text itself. */
function messageOf(body: string): string {
  const { message } = parsedObject(body) ?? {}
  return typeof message === 'string' ? message : body.slice(0, 200)
}
