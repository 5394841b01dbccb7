import type { Writable } from 'node:stream'
import type { SharedBytes } from '../lib/shared-bytes.ts'

/** Room before and after a frame's bytes for what frames them. */
export const FRAME_MARGIN = 10

/** What is asked of a connection under an answer: the little in which HTTP/1.1 and HTTP/2 differ. */
export interface Wire {
  /** Flat list of names and values, without hop-by-hop headers. `length` undefined: the answer's length is not known. */
  head(status: number, headers: string[], length: number | undefined): void
  /** Head and body at once. */
  whole(status: number, headers: string[], body: Buffer): void
  /** Head of an answer that must have no body (HEAD). */
  bodiless(status: number, headers: string[], length: number | undefined): void
  /** `taken`: called when nothing refers to the chunk's memory any more. Where the connection breaks off it may never be. */
  write(chunk: Buffer, taken?: () => void): boolean
  /**
   * Writes one frame of a stream, past the response object, in one packet where it fits; returns its bytes. Never empty: to HTTP/1.1 that would be the end.
   */
  frame(bytes: SharedBytes): number
  /**
   * Writes one frame of a stream that has memory of its own: the bytes between `from` and `to`. There are FRAME_MARGIN bytes around them that the wire may write to. Returns the frame's
   * bytes. `taken`: as of `write`.
   */
  frameIn(memory: Buffer, from: number, to: number, taken: () => void): number
  end(): void
  destroy(): void
  /** Asks the client to take another connection for its next requests. Of HTTP/2 alone: nothing happens to others. */
  leaveConnection(): void
  readonly unwritten: number
  readonly needsDrain: boolean
  readonly closed: boolean
  /** Nothing will be done with the rest of the request's body: the client is let finish for a while, for it may only look for the answer then. */
  discardBody(): void
  onClose(listener: () => void): void
  onDrain(listener: () => void): void
  offDrain(listener: () => void): void
  /** The answer's body as a stream, for what comes as one. Broken off, it takes the answer with it. */
  sink(): Writable
}

export function lengthOf(chunks: readonly Buffer[]): number {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  return length
}
