import type { IncomingMessage } from 'node:http'
import { request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestTls } from 'node:https'

/** Response of a server as text, so that integers keep their digits. */
export interface TextAnswer {
  readonly status: number
  readonly text: string
}

/** Asks one server, whichever program it is. */
export interface ApiSession {
  ask(method: string, path: string, body?: unknown, contentType?: string): Promise<TextAnswer>
  /** The lines of a watch, as they come. */
  watch(path: string): { readonly lines: readonly string[]; close(): void }
}

export function apiSession(url: string, access: RequestOptions = {}): ApiSession {
  const send = url.startsWith('https:') ? requestTls : requestPlain
  const open = (
    method: string,
    path: string,
    text: string | undefined,
    contentType: string,
    take: (response: IncomingMessage) => void,
    fail: (error: Error) => void,
  ) => {
    const headers = {
      ...access.headers,
      accept: 'application/json',
      ...(text !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
    }
    const asked = send(`${url}${path}`, { ...access, method, headers }, take)
    asked.on('error', fail).end(text)
    return asked
  }
  return {
    ask: (method, path, body, contentType = 'application/json') =>
      new Promise((resolve, reject) => {
        const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
        const take = (response: IncomingMessage): void => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part)).on('error', reject)
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
        }
        open(method, path, text, contentType, take, reject)
      }),
    watch(path) {
      const lines: string[] = []
      let rest = ''
      const take = (response: IncomingMessage): void => {
        response.setEncoding('utf8').on('error', () => {})
        response.on('data', (text: string) => {
          const parts = (rest + text).split('\n')
          rest = parts.pop() ?? ''
          lines.push(...parts)
        })
      }
      const asked = open('GET', path, undefined, '', take, () => {})
      return { lines, close: () => void asked.destroy() }
    },
  }
}
