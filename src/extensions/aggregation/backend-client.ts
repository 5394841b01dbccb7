import { Readable } from 'node:stream'
import type { ResolveService } from '../../admission/webhooks/target.ts'
import { askOver } from '../../endpoints/connect/ask.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { readBounded } from '../../lib/read-bounded.ts'
import type { User } from '../../meta/context.ts'
import { destinationAt } from './destination.ts'
import type { Registration } from './registration.ts'
import { withRemoteUser } from './remote-user.ts'
import type { Transports } from './transports.ts'
import type { Via } from './via.ts'

/** A request of this server or of a controller to an aggregated server. */
export interface BackendRequest {
  /** Optional. Default: GET. */
  readonly method?: 'GET' | 'DELETE'
  /** Path on the aggregated server, without the query. */
  readonly path: string
  /** Optional. The query, without `?`. */
  readonly query?: string
  /** JSON. */
  readonly body?: string
  /** Value of the Accept header. */
  readonly accept: string
  /** ETag of the cached response, for If-None-Match. Empty without one. */
  readonly etag?: string
  /** User in the headers of the front proxy (`X-Remote-User`). */
  readonly user: User
  /** Time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number
  /** Maximum size of the response body in bytes. A longer one is an error. */
  readonly maxBytes: number
}

/** A response that was read as a whole, whatever its status. */
export interface BackendResponse {
  readonly status: number
  /** Empty if the response has none. */
  readonly contentType: string
  /** Empty if the response has none. */
  readonly etag: string
  readonly body: Buffer
}

/** The response body exceeds the limit of its request. */
export class DocumentTooLongError extends Error {
  override readonly name = 'DocumentTooLongError'
}

/** Sends requests to aggregated servers, for documents and for controllers. */
export class BackendClient {
  readonly #resolve: ResolveService
  readonly #transports: Transports
  readonly #via: Via

  constructor(resolve: ResolveService, transports: Transports, via: Via) {
    this.#resolve = resolve
    this.#transports = transports
    this.#via = via
  }

  /** Sends a request. Throws if there is no response in time. */
  async ask(registration: Registration, question: BackendRequest, waiting: AbortSignal): Promise<BackendResponse> {
    const { backend } = registration
    if (!backend) throw new Error('the APIService has no backend')
    const { method = 'GET', path, query = '', body, accept, etag = '', user, timeoutMs, maxBytes } = question
    const { transport, fault } = this.#transports.of(registration, backend)
    if (fault !== undefined) throw new Error(fault)
    const own: readonly (readonly [string, string])[] = [
      ['Accept', accept],
      ['Via', this.#via.after(undefined)],
      ...(etag === '' ? [] : [['If-None-Match', etag] as const]),
      ...(body === undefined
        ? []
        : [['Content-Type', 'application/json'] as const, ['Content-Length', String(Buffer.byteLength(body))] as const]),
    ]
    const headers = withRemoteUser(own, user, false).flat()
    return withDeadline(waiting, timeoutMs, async signal => {
      const destination = destinationAt(await this.#resolve(backend.namespace, backend.name, backend.port), path, query)
      const { response, upgraded } = await askOver(transport, destination, {
        method,
        headers,
        signal,
        ...(body !== undefined && { body: Readable.from([Buffer.from(body)]) }),
      })
      upgraded?.socket.destroy()
      const { statusCode: status = 0, headers: received } = response
      const bytes = await readBounded(response, {
        maxBytes,
        tooLong: () => new DocumentTooLongError(`the document is longer than ${maxBytes} bytes`),
      })
      return { status, contentType: received['content-type'] ?? '', etag: received.etag ?? '', body: bytes }
    })
  }
}
