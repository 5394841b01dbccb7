import { Readable } from 'node:stream'
import type { AnyRequest } from '../../src/server/http/any-http.ts'

export interface WrittenRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string
}

/** A request as a listener hands it on, with no connection behind it. */
export const requestWithoutSocket = ({ method, url, headers = {}, body = '' }: WrittenRequest): AnyRequest =>
  Object.assign(Readable.from(body === '' ? [] : [Buffer.from(body)]), {
    method,
    url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    rawHeaders: Object.entries(headers).flat(),
    socket: {},
  }) as unknown as AnyRequest
