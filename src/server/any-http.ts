import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2Request } from '../protocols/http2/request.ts'
import { Http2Stream } from '../protocols/http2/stream.ts'
import { Http1Wire } from './http1-wire.ts'
import type { Wire } from './wire.ts'

/** Requests and answers of either protocol. */
export type AnyRequest = IncomingMessage | Http2Request
export type AnyResponse = ServerResponse | Http2Stream

export const wireOf = (res: AnyResponse): Wire => (res instanceof Http2Stream ? res : new Http1Wire(res))
