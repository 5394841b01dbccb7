import { write } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from '../../lib/error-code.ts'

/** Where lines go. Calls do not overlap: the writer makes one after the other. */
export interface LogOutput {
  /** Before lines of so many bytes are written. Rejects where there is no room for them. */
  prepare(length: number): Promise<void>
  /** Resolves when the system has taken all the bytes. */
  write(bytes: Buffer): Promise<void>
  close(): Promise<void>
}

const writeTo = promisify(write)
const STDOUT = 1
/** Between two attempts at a pipe that is full. */
const RETRY_MS = 10

/** Standard output, written by another thread: Node's own stream holds the event loop for as long as the reader of a pipe takes. */
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
