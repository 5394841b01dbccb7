import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Stream } from 'node:http2'

/** What is asked of a connection under an answer: the little in which HTTP/1.1 and HTTP/2 differ. */
export interface Wire {
  /** Flat list of names and values, without hop-by-hop headers. `length` undefined: the answer's length is not known. */
  head(status: number, headers: string[], length: number | undefined): void
  /** Head and body at once. */
  whole(status: number, headers: string[], body: Buffer): void
  /** Head of an answer that must have no body (HEAD). */
  bodiless(status: number, headers: string[], length: number | undefined): void
  write(chunk: Buffer): boolean
  /**
   * Writes one frame of a stream, past the response object, in one packet where it fits; returns its bytes. Never empty: to HTTP/1.1 that would be the end. The
   * array is framed once, whoever writes it next.
   */
  frame(chunks: readonly Buffer[]): number
  end(): void
  destroy(): void
  cork(): void
  uncork(): void
  readonly unwritten: number
  readonly needsDrain: boolean
  readonly closed: boolean
  /** Nothing will be done with the rest of the request's body: the client is let finish for a while, for it may only look for the answer then. */
  discardBody(): void
  onClose(listener: () => void): void
  onDrain(listener: () => void): void
  offDrain(listener: () => void): void
}

/** How long the rest of a body that is not wanted may come. */
const DISCARD_MS = 10_000
const CRLF = Buffer.from('\r\n')

/**
 * Frames made last. Watchers of the same things get the same buffers, one watcher after the other: what the first of them had framed serves the rest. One ring a
 * protocol.
 */
class FrameRing {
  private readonly ring: { readonly chunks: readonly Buffer[]; readonly frame: Buffer }[] = []
  private next = 0

  find(chunks: readonly Buffer[]): Buffer | undefined {
    for (const { chunks: made, frame } of this.ring) if (sameBuffers(made, chunks)) return frame
    return undefined
  }

  keep(chunks: readonly Buffer[], frame: Buffer): Buffer {
    // A large frame is rare and costs more to keep than to make.
    if (frame.length > 1 << 20) return frame
    this.ring[this.next] = { chunks, frame }
    this.next = (this.next + 1) % 8
    return frame
  }
}

function sameBuffers(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  if (a === b) return true
  if (a.length !== b.length || a[0] !== b[0]) return false
  for (let i = 1; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const chunkFrames = new FrameRing()
const plainFrames = new FrameRing()

export function lengthOf(chunks: readonly Buffer[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  return length
}

export class Http1Wire implements Wire {
  private readonly res: ServerResponse

  constructor(res: ServerResponse) {
    this.res = res
  }

  head(status: number, headers: string[], length: number | undefined): void {
    if (length !== undefined) headers.push('Content-Length', String(length))
    this.res.writeHead(status, headers)
    if (length === undefined) this.res.flushHeaders()
  }

  whole(status: number, headers: string[], body: Buffer): void {
    headers.push('Content-Length', String(body.length))
    this.res.writeHead(status, headers)
    this.res.end(body)
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    this.head(status, headers, length)
    this.res.end()
  }

  write(chunk: Buffer): boolean {
    return this.res.write(chunk)
  }

  frame(chunks: readonly Buffer[]): number {
    const frame =
      chunkFrames.find(chunks) ?? chunkFrames.keep(chunks, Buffer.concat([Buffer.from(`${lengthOf(chunks).toString(16)}\r\n`, 'latin1'), ...chunks, CRLF]))
    const socket = this.res.socket
    // A response that waits behind another on its connection has no socket yet.
    if (socket === null) this.res.write(Buffer.concat(chunks))
    else socket.write(frame)
    return frame.length
  }

  end(): void {
    this.res.end()
  }

  destroy(): void {
    this.res.destroy()
  }

  cork(): void {
    this.res.cork()
  }

  uncork(): void {
    this.res.uncork()
  }

  get unwritten(): number {
    return this.res.writableLength + (this.res.socket?.writableLength ?? 0)
  }

  get needsDrain(): boolean {
    return this.res.socket?.writableNeedDrain ?? this.res.writableNeedDrain
  }

  get closed(): boolean {
    return this.res.destroyed || this.res.closed || (this.res.socket?.destroyed ?? false)
  }

  discardBody(): void {
    const { req } = this.res
    const timer = setTimeout(() => {
      if (!req.complete) req.destroy()
    }, DISCARD_MS)
    timer.unref()
    req.resume().once('close', () => clearTimeout(timer))
  }

  onClose(listener: () => void): void {
    this.res.once('close', listener)
  }

  onDrain(listener: () => void): void {
    const socket = this.res.socket
    // Frames pass the response by, so its own drain event does not tell of them.
    if (socket === null) this.res.once('drain', listener)
    else socket.once('drain', listener)
  }

  offDrain(listener: () => void): void {
    this.res.off('drain', listener)
    this.res.socket?.off('drain', listener)
  }
}

export class Http2Wire implements Wire {
  private readonly stream: ServerHttp2Stream

  constructor(res: Http2ServerResponse) {
    this.stream = res.stream
  }

  head(status: number, headers: string[], length: number | undefined, endStream = false): void {
    if (this.stream.destroyed || this.stream.closed) return
    const out: Record<string, string | string[] | number> = { ':status': status }
    for (let i = 0; i < headers.length; i += 2) {
      const name = (headers[i] ?? '').toLowerCase()
      const value = headers[i + 1] ?? ''
      const had = out[name]
      out[name] = had === undefined ? value : [...(Array.isArray(had) ? had : [String(had)]), value]
    }
    if (length !== undefined) out['content-length'] = String(length)
    this.stream.respond(out, { endStream })
  }

  whole(status: number, headers: string[], body: Buffer): void {
    this.head(status, headers, body.length, body.length === 0)
    if (body.length > 0) this.stream.end(body)
  }

  bodiless(status: number, headers: string[], length: number | undefined): void {
    this.head(status, headers, length, true)
  }

  write(chunk: Buffer): boolean {
    return this.stream.write(chunk)
  }

  frame(chunks: readonly Buffer[]): number {
    const frame = (chunks.length === 1 ? chunks[0] : plainFrames.find(chunks)) ?? plainFrames.keep(chunks, Buffer.concat(chunks))
    this.stream.write(frame)
    return frame.length
  }

  end(): void {
    this.stream.end()
  }

  destroy(): void {
    this.stream.close(constants.NGHTTP2_CANCEL)
  }

  cork(): void {
    this.stream.cork()
  }

  uncork(): void {
    this.stream.uncork()
  }

  get unwritten(): number {
    return this.stream.writableLength
  }

  get needsDrain(): boolean {
    return this.stream.writableNeedDrain
  }

  get closed(): boolean {
    return this.stream.destroyed || this.stream.closed
  }

  discardBody(): void {
    const { stream } = this
    stream.resume().once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR))
  }

  onClose(listener: () => void): void {
    this.stream.once('close', listener)
  }

  onDrain(listener: () => void): void {
    this.stream.once('drain', listener)
  }

  offDrain(listener: () => void): void {
    this.stream.off('drain', listener)
  }
}

export type AnyRequest = IncomingMessage | Http2ServerRequest
export type AnyResponse = ServerResponse | Http2ServerResponse

export const isHttp2 = (res: AnyResponse): res is Http2ServerResponse => 'stream' in res

export const wireOf = (res: AnyResponse): Wire => (isHttp2(res) ? new Http2Wire(res) : new Http1Wire(res))
