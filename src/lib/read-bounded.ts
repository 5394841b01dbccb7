import { joinInSteps } from './join-buffers.ts'
import { runInTurns } from './steps.ts'

/** A limit on the bytes that several readers hold together. */
export interface SharedRoom {
  /** Reserves bytes. Throws if there is not enough room. */
  take(bytes: number): void
  leave(bytes: number): void
}

/** Limits on reading a body. */
export interface ReadBound {
  readonly maxBytes: number
  /** Creates the error for a longer body. */
  tooLong(): Error
  /** Optional. Counts the bytes until the body is complete or has failed. */
  readonly room?: SharedRoom | undefined
}

/**
 * Reads a whole body. Fails at the first piece that exceeds the bound or the shared room, so that no server can fill
 * another one's memory.
 */
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
