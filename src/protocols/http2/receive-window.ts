/** What a client may send, on a stream or on the connection (RFC 9113, section 5.2). */
export class ReceiveWindow {
  private readonly size: number
  private readonly widen: (bytes: number) => void
  private left: number
  /** Bytes that were read and are not reported to the client yet. */
  private taken = 0

  /** `widen` allows the client to send so many bytes more: when half of the window has been read. */
  constructor(size: number, widen: (bytes: number) => void) {
    this.size = size
    this.left = size
    this.widen = widen
  }

  /** Bytes that have come, and nobody has read. */
  get unread(): number {
    return this.size - this.left - this.taken
  }

  /** Bytes have come. False where there was no room for them. */
  receive(bytes: number): boolean {
    this.left -= bytes
    return this.left >= 0
  }

  /** Bytes have been read. */
  take(bytes: number): void {
    this.taken += bytes
    if (this.taken * 2 < this.size) return
    this.widen(this.taken)
    this.left += this.taken
    this.taken = 0
  }
}
