import { DialError } from '../lib/dial-error.ts'

/** Bytes of answers that are read at once, of all who share it. */
const MOST_BYTES = 256 << 20

/** Bounds what servers elsewhere have in this server's memory while they answer: each of many calls may be sent a long answer, and slowly. */
export class AnswerRoom {
  private readonly mostBytes: number
  private bytes = 0

  constructor(mostBytes = MOST_BYTES) {
    this.mostBytes = mostBytes
  }

  /** Throws where there is no room. */
  take(bytes: number): void {
    if (this.bytes + bytes > this.mostBytes) throw new DialError('the answers to other calls are too long together')
    this.bytes += bytes
  }

  leave(bytes: number): void {
    this.bytes -= bytes
  }
}
