import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { RequestHead } from './request-head.ts'

/** A request over HTTP/2, as Node's of HTTP/1.1: its body can be read from it. */
export class Http2Request extends Readable {
  readonly httpVersion = '2.0'
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: string[]
  readonly socket: TLSSocket
  /** Something follows the head. */
  readonly hasBody: boolean
  private readonly taken: (bytes: number) => void
  /** Bytes given to the reader's queue that are not reported to the client yet. */
  private given = 0

  /** `taken` is called with bytes that were read, so that as many may come. */
  constructor(head: RequestHead, socket: TLSSocket, hasBody: boolean, taken: (bytes: number) => void) {
    super()
    this.method = head.method
    this.url = head.url
    this.headers = head.headers
    this.rawHeaders = head.rawHeaders
    this.socket = socket
    this.hasBody = hasBody
    this.taken = taken
    if (!hasBody) this.push(null)
  }

  /** More of the body. */
  give(chunk: Buffer): void {
    if (this.destroyed) {
      this.taken(chunk.length)
      return
    }
    this.given += chunk.length
    if (this.push(chunk)) this._read()
  }

  override _read(): void {
    const { given } = this
    this.given = 0
    if (given > 0) this.taken(given)
  }

  /** What nobody has read by then, nobody will: the room for it goes back to the client. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this._read()
    done(error)
  }
}
