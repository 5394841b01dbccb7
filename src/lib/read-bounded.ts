import { joinInSteps } from './join-buffers.ts'
import { runInTurns } from './steps.ts'

/** Bytes that several readers may hold together. */
export interface SharedRoom {
  /** Throws where there is no room. */
  take(bytes: number): void
  leave(bytes: number): void
}

export interface ReadBound {
  readonly maxBytes: number
  /** The error of a longer body. */
  tooLong(): Error
  /** Where the bytes are counted until the body is whole, or given up. */
  readonly room?: SharedRoom | undefined
}

/** Reads a body whole. One that is longer than the bound, or has no room, ends at that piece: a server must not fill the memory of another. */
export async function readBounded(body: AsyncIterable<Buffer>, { maxBytes, tooLong, room }: ReadBound): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      room?.take(chunk.length)
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) throw tooLong()
    }
    return await runInTurns(joinInSteps(chunks))
  } finally {
    room?.leave(length)
  }
}
