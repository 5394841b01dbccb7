import { write } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '../../lib/error-code.ts'

/** Destination of lines. The writer makes one call at a time. */
export interface LogOutput {
  /** Called before lines of this length are written. Rejects if they do not fit. */
  prepare(length: number): Promise<void>
  /** Resolves when the operating system has accepted all bytes. */
  write(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

const writeTo = promisify(write)
const STDOUT = 1
/** Milliseconds between two attempts to write to a full pipe. */
const RETRY_MS = 10

/**
 * Standard output, written on another thread: Node's own stream blocks the event loop while the reader of a pipe is
 * slow.
 */
export const standardOutput: LogOutput = {
  prepare: async () => {},
  async write(bytes) {
    for (let at = 0; at < bytes.length; ) {
      try {
        at += (await writeTo(STDOUT, bytes, at)).bytesWritten
      } catch (error) {
        if (errorCode(error) !== 'EAGAIN') throw error
        await sleep(RETRY_MS)
      }
    }
  },
  close: async () => {},
}
