import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Http2Request } from '../../protocols/http2/request.ts'
import { Http1Wire } from './http1-wire.ts'
import type { Wire } from './wire.ts'

/** Response of an HTTP/2 stream, of either stack. */
export interface Http2Response extends Wire {
  readonly destroyed: boolean
  readonly writableEnded: boolean
}

/** Requests and responses of either protocol. */
export type AnyRequest = IncomingMessage | Http2Request
/** Only `wireOf` distinguishes the two. Everything else writes to the wire. */
export type AnyResponse = ServerResponse | Http2Response

/** Returns the wire of a response. An HTTP/2 stream is its own wire. */
export const wireOf = (res: AnyResponse): Wire => (res instanceof ServerResponse ? new Http1Wire(res) : res)

/** Handles a request of either protocol, and owns its response. */
export type Listener = (req: AnyRequest, res: AnyResponse) => void
