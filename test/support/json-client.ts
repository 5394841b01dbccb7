import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { AnyObject } from './any-object.ts'

export interface JsonAnswer {
  /** Status code. 0 if the response is incomplete. */
  readonly status: number
  readonly body: AnyObject
  readonly headers: IncomingHttpHeaders
  /** Time from the start of the request to the end of the response. */
  readonly milliseconds: number
}

export interface JsonRequest {
  readonly body?: unknown
  /** A body as it stands, instead. */
  readonly text?: string
  readonly contentType?: string
  readonly accept?: string
}

/**
 * Client for objects over plain HTTP/1.1, with a few persistent connections. A lost connection is a response with
 * status 0.
 */
export interface JsonClient {
  ask(method: string, path: string, options?: JsonRequest): Promise<JsonAnswer>
  /** Like `ask`. Throws if the response is not 2xx. */
  must(method: string, path: string, body?: unknown): Promise<AnyObject>
  close(): void
}

/** Longer than any response of the server may take. */
const TIMEOUT_MS = 75_000

export function createJsonClient(url: string): JsonClient {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(url)
  const ask = (
    method: string,
    path: string,
    { body, text, contentType = 'application/json', accept }: JsonRequest = {},
  ): Promise<JsonAnswer> =>
    new Promise(resolve => {
      const started = performance.now()
      const lost = (): void => resolve({ status: 0, body: {} as AnyObject, headers: {}, milliseconds: performance.now() - started })
      const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
      const bytes = sent === undefined ? undefined : Buffer.from(sent)
      const headers = {
        ...(bytes && { 'content-type': contentType, 'content-length': bytes.length }),
        'user-agent': 'resilience/1',
        ...(accept !== undefined && { accept }),
      }
      const asked = request({ hostname, port, method, path, agent, headers, timeout: TIMEOUT_MS }, answer => {
        const parts: Buffer[] = []
        answer
          .on('data', (part: Buffer) => parts.push(part))
          .on('error', lost)
          .on('close', () => {
            if (!answer.complete) return lost()
            const text = Buffer.concat(parts).toString()
            resolve({
              status: answer.statusCode ?? 0,
              body: parsed(text),
              headers: answer.headers,
              milliseconds: performance.now() - started,
            })
          })
      })
      asked
        .on('error', lost)
        .on('timeout', () => asked.destroy())
        .end(bytes)
    })
  return {
    ask,
    async must(method, path, body) {
      const answer = await ask(method, path, { body })
      if (answer.status < 200 || answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    close: () => agent.destroy(),
  }
}

function parsed(text: string): AnyObject {
  try {
    return JSON.parse(text)
  } catch {
    return { text } as unknown as AnyObject
  }
}
