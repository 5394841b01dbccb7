import { MAX_OPEN_HEAD_BYTES, ORDINARY_HEAD_BYTES } from './limits.ts'

/** The heads of a connection's open requests, which are kept until the last byte of the answer has left. */
export class OpenHeads {
  private bytes = 0

  /** False where there is no room for another of so many bytes; one by itself always has it. */
  add(bytes: number): boolean {
    if (this.bytes > 0 && this.bytes + bytes > MAX_OPEN_HEAD_BYTES) return false
    this.bytes += bytes
    return true
  }

  remove(bytes: number): void {
    this.bytes -= bytes
  }

  /** Bytes beyond those of ordinary requests: a thousand watches are nothing that a connection is closed for. */
  get heldBytes(): number {
    return this.bytes > ORDINARY_HEAD_BYTES ? this.bytes : 0
  }
}
