import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Json } from '../api/meta/object.ts'
import { rawJson } from '../schema/json-text.ts'
import type { ClientResponse, RequestOptions } from './types.ts'

export const USER_AGENT = 'binnacle-testing'

/** Address and credentials of a server. */
export interface ServerAddress {
  readonly url: string
  /** PEM. */
  readonly certificateAuthority: string
  /** PEM. */
  readonly clientCertificate: string
  /** PEM. */
  readonly clientKey: string
}

/** HTTP client of a server for one user. */
export interface Client {
  /** Resolves to the response, whatever its status. */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<ClientResponse<T>>
  close(): void
}

/**
 * Opens a client, which keeps connections until it is closed. Bodies are JSON and PATCH is a merge patch unless the
 * caller sets a content type. A bigint is written as a number.
 */
export function openClient({ url, certificateAuthority: ca, clientCertificate: cert, clientKey: key }: ServerAddress): Client {
  // Parsed once: a connection would parse them again.
  const agent = new Agent({ keepAlive: true, secureContext: createSecureContext({ ca, cert, key }) })
  return {
    request: <T>(method: string, path: string, options: RequestOptions = {}) =>
      new Promise<ClientResponse<T>>((resolve, reject) => {
        const { body, contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' } = options
        const sent = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : rawJson(body as Json))
        const headers = {
          'user-agent': USER_AGENT,
          accept: 'application/json',
          ...(sent && { 'content-type': contentType, 'content-length': sent.length }),
          ...options.headers,
        }
        request(new URL(path, url), { method, agent, headers }, answer => readResponse<T>(answer).then(resolve, reject))
          .on('error', reject)
          .end(sent)
      }),
    close: () => agent.destroy(),
  }
}

async function readResponse<T>(answer: IncomingMessage): Promise<ClientResponse<T>> {
  const parts: Buffer[] = []
  for await (const part of answer) parts.push(part)
  const text = Buffer.concat(parts).toString()
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: parseBody<T>(text) }
}

/** Parses the body if it is JSON. The events of a watch are not, as a whole. The caller states the type. */
function parseBody<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch {
    return text as T
  }
}
