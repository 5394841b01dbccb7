/** Buffers of one size that are used again: fresh memory costs more than what is done with it, and collections besides. Everything that is taken may be kept; nothing has to be given back. */
export class BufferPool {
  /** Of each buffer. */
  readonly bytes: number
  private readonly most: number
  private readonly free: Buffer[] = []

  /** `most`: buffers that are kept while nobody uses them. */
  constructor(bytes: number, most: number) {
    this.bytes = bytes
    this.most = most
  }

  /** Holds whatever its last user has left in it. */
  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  /** Once nothing refers to it any more: the next user writes over it. Buffers of other sizes are left to the collector. */
  give(buffer: Buffer): void {
    if (buffer.length === this.bytes && this.free.length < this.most) this.free.push(buffer)
  }
}
