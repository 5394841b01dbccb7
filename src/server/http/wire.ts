import type { Writable } from 'node:stream'
import type { SharedBytes } from '../../lib/shared-bytes.ts'

/** Bytes before and after a frame's data, for the protocol's framing. */
export const FRAME_MARGIN = 10

/** The connection or stream of a response: the operations in which HTTP/1.1 and HTTP/2 differ. */
export interface Wire {
  /**
   * Writes the head. `headers`: names and values in turn, without hop-by-hop headers. `length`: undefined if it is not
   * known.
   */
  head(status: number, headers: string[], length: number | undefined): void
  /** Writes head and body. */
  whole(status: number, headers: string[], body: Buffer): void
  /** Writes the head of a response that must not have a body, such as to HEAD. */
  bodiless(status: number, headers: string[], length: number | undefined): void
  /**
   * Writes a part of the body. Returns false if the caller should wait for `onDrain`. `taken` is called when the
   * chunk's memory can be reused; it may never be called if the connection breaks.
   */
  write(chunk: Buffer, taken?: () => void): boolean
  /**
   * Writes one frame of a stream past the response object, in one packet if it fits. Returns the bytes that were
   * written. The frame must not be empty: an empty chunk ends an HTTP/1.1 body.
   */
  frame(bytes: SharedBytes): number
  /**
   * Writes one frame of a stream from a buffer of the caller: the bytes between `from` and `to`. The wire may write to
   * FRAME_MARGIN bytes before and after them. Returns the bytes that were written. `taken` as for `write`.
   */
  frameIn(memory: Buffer, from: number, to: number, taken: () => void): number
  /** Ends the body. Bytes that were written before are still delivered. */
  end(): void
  /** Closes the connection or stream without delivering what is still unwritten. */
  destroy(): void
  /** Asks an HTTP/2 client to open another connection for its next requests (GOAWAY). Does nothing over HTTP/1.1. */
  leaveConnection(): void
  /** Bytes that were written and have not been passed to the kernel. */
  readonly unwritten: number
  /** Whether the next write should wait for `onDrain`. */
  readonly needsDrain: boolean
  /** Whether the connection or stream is closed. Writes have no effect then. */
  readonly closed: boolean
  /**
   * Discards the rest of the request's body. The client may send on for a while: some clients read the response only
   * when they have sent the body.
   */
  discardBody(): void
  /** Calls the listener once, when the connection or stream is closed for any reason. */
  onClose(listener: () => void): void
  /** Calls the listener once, when the buffers are empty again. */
  onDrain(listener: () => void): void
  /** Removes a listener of `onDrain` that has not been called. */
  offDrain(listener: () => void): void
  /** Returns the response's body as a stream. Destroying it closes the connection or stream. */
  sink(): Writable
}

/** Returns the length in bytes. */
export function chunksLength(chunks: readonly Buffer[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  return length
}
