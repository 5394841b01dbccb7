import { link } from 'node:fs/promises'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { type Agent, request as requestTls } from 'node:https'
import type { Json } from '../api/meta/object.ts'
import { parseJson } from '../codec/json.ts'
import { errorCode } from '../lib/error-code.ts'
import { withDraft } from '../lib/private-file.ts'
import { TlsAgent } from '../lib/tls-agent.ts'
import { USER_AGENT } from '../lib/user-agent.ts'
import { parsedObject } from '../meta/json-members.ts'
import type { ClusterAccess } from './cluster-access.ts'

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 60_000
/** Maximum size of a response in bytes. Lists are read in chunks. */
const MOST_BYTES = 256 * 1024 * 1024

/** The request failed: a response with an error code, or none. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
  /** Undefined if there was no response. */
  readonly status: number | undefined
  /** Retry-After in seconds. Undefined if it is absent or a date. */
  readonly retryAfterSeconds: number | undefined
  /** Message of the Status. Undefined if the body is not one, as for an unknown path. */
  readonly answer: string | undefined

  constructor(
    message: string,
    status?: number,
    { retryAfter, answer }: { readonly retryAfter?: string | undefined; readonly answer?: string | undefined } = {},
  ) {
    super(message)
    this.status = status
    this.retryAfterSeconds = /^\d{1,9}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
    this.answer = answer
  }
}

/**
 * Error to print for a command with a single request: the server's message alone, if it sent one. @param isOff message
 * to use if the server does not serve the path.
 */
export function askedError(error: unknown, isOff: string): unknown {
  if (!(error instanceof ClusterError) || error.status === undefined) return error
  if (error.answer !== undefined) return new ClusterError(error.answer, error.status)
  return error.status === 404 && /^\/binnacle\//.test(error.message) ? new ClusterError(isOff, 404) : error
}

interface OutgoingRequest {
  readonly method: string
  readonly path: string
  readonly accept: string
  /** JSON. */
  readonly body?: string
}

/** HTTP client of a server. Keeps connections alive. */
export class ClusterClient {
  readonly server: URL
  readonly #access: ClusterAccess
  readonly #agent: Agent | undefined

  constructor(access: ClusterAccess) {
    this.server = access.server
    this.#access = access
    this.#agent = access.server.protocol === 'https:' ? new TlsAgent({ keepAlive: true, maxSockets: 4, ...access.tls }) : undefined
  }

  /** Sends a request and parses the response. Throws ClusterError. */
  json(path: string, method: 'GET' | 'POST' = 'GET'): Promise<Json> {
    return this.send(method, path)
  }

  /** Sends a request with an optional JSON body and parses the response. Throws ClusterError. */
  async send(method: string, path: string, body?: Json): Promise<Json> {
    const bytes = await this.#bytes({ method, path, accept: 'application/json', ...(body !== undefined && { body: JSON.stringify(body) }) })
    try {
      return parseJson(bytes).value
    } catch {
      throw new ClusterError(`${path}: the response is not JSON`)
    }
  }

  /** Returns the response as text. Throws ClusterError. */
  async text(path: string): Promise<string> {
    return (await this.#bytes({ method: 'GET', path, accept: 'text/plain' })).toString()
  }

  /**
   * Streams a response of any length into a new file, readable only by its owner. The file appears once it is complete.
   * Throws ClusterError or a system error.
   */
  async save(path: string, file: string): Promise<void> {
    const response = await this.#ask({ method: 'GET', path, accept: 'application/octet-stream' })
    await withDraft(file, response, draft => link(draft, file)).catch((error: unknown) => {
      throw errorCode(error) === 'ECONNRESET' ? new ClusterError(`${path}: the response is incomplete`) : error
    })
  }

  async #bytes(asked: OutgoingRequest): Promise<Buffer> {
    return collected(asked.path, await this.#ask(asked, AbortSignal.timeout(TIMEOUT_MS)))
  }

  /** Resolves to a successful response. Throws ClusterError. */
  #ask({ method, path, accept, body }: OutgoingRequest, signal?: AbortSignal): Promise<IncomingMessage> {
    const { server } = this.#access
    const url = new URL(server.pathname.replace(/\/$/, '') + path, server)
    const headers = {
      ...this.#access.headers,
      accept,
      'user-agent': USER_AGENT,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const options = { method, headers, timeout: TIMEOUT_MS, ...(signal && { signal }) }
    return new Promise((resolve, reject) => {
      const request = this.#agent ? requestTls(url, { ...options, agent: this.#agent }) : requestPlain(url, options)
      request.on('error', error =>
        reject(errorCode(error) === 'ECONNREFUSED' ? notThere(url) : requestFailure(`${url.origin}${path}`, error)),
      )
      request.on('timeout', () => request.destroy(new Error('no response within a minute')))
      request.on('response', response => {
        if (response.statusCode === 200 || response.statusCode === 201) return resolve(response)
        collected(path, response).then(body => reject(refusedError(path, response, body.toString())), reject)
      })
      request.end(body)
    })
  }

  close(): void {
    this.#agent?.destroy()
  }
}

const notThere = ({ origin }: URL): ClusterError => new ClusterError(`${origin} refuses connections: is the server running?`)

const requestFailure = (what: string, error: Error): ClusterError =>
  new ClusterError(`${what}: ${error.message || ('code' in error ? String(error.code) : 'no response')}`)

/** Reads the whole body. Throws ClusterError. */
function collected(path: string, response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    response.on('error', error => reject(requestFailure(path, error))).on('end', () => resolve(Buffer.concat(chunks)))
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_BYTES) response.destroy(new Error('the response is too large'))
      else chunks.push(chunk)
    })
  })
}

/** Error with the message of the Status, or an excerpt of the body. */
function refusedError(path: string, { statusCode, headers }: IncomingMessage, body: string): ClusterError {
  const { message } = parsedObject(body) ?? {}
  const answer = typeof message === 'string' ? message : undefined
  return new ClusterError(`${path}: ${statusCode} ${answer ?? body.trim().slice(0, 200)}`, statusCode, {
    retryAfter: headers['retry-after'],
    answer,
  })
}
