import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { RequestHead } from './request-head.ts'

/** A request over HTTP/2, with the interface of Node's IncomingMessage. Its body is a stream. */
export class Http2Request extends Readable {
  /** Same value as Node's. */
  readonly httpVersion = '2.0'
  readonly method: string
  readonly url: string
  /** Headers by name in lower case, as Node combines repeated ones. */
  readonly headers: IncomingHttpHeaders
  /** Names and values alternate, in the order in which they were received. */
  readonly rawHeaders: string[]
  /** Connection, which other requests share. */
  readonly socket: TLSSocket
  /** Whether a body or trailers follow the head. */
  readonly hasBody: boolean
  readonly #taken: (bytes: number) => void
  /** Bytes in the stream's buffer that have not been reported as read. */
  #given = 0

  /** @param taken called with the number of bytes that were read, to grow the window. */
  constructor(head: RequestHead, socket: TLSSocket, hasBody: boolean, taken: (bytes: number) => void) {
    super()
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.rawHeaders = head.rawHeaders
    this.socket = socket
    this.hasBody = hasBody
    this.#taken = taken
    if (!hasBody) this.push(null)
  }

  /** Adds data of the body. */
  give(chunk: Buffer): void {
    if (this.destroyed) {
      this.#taken(chunk.length)
      return
    }
    this.#given += chunk.length
    if (this.push(chunk)) this._read()
  }

  /** Called when the reader has room, so that data given before counts as read. */
  override _read(): void {
    const given = this.#given
    this.#given = 0
    if (given > 0) this.#taken(given)
  }

  /** Unread data counts as read, so that the client's window grows again. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read()
    done(error)
  }
}
