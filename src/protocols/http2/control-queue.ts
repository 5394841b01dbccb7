/**
 * Number of small frames that are joined into one buffer. A separate buffer costs ten times the size of such a frame.
 */
const JOIN_FRAMES = 64

/** Frames that are not subject to flow control, in order, until they are written. */
export class ControlQueue {
  bytes = 0
  /** Joined buffers, oldest first. */
  #joined: Buffer[] = []
  /** Frames since the last join. */
  #recent: Buffer[] = []
  /** Bytes of the oldest buffer that are written. */
  #offset = 0

  push(frame: Buffer): void {
    this.bytes += frame.length
    if (this.#recent.push(frame) < JOIN_FRAMES) return
    this.#joined.push(Buffer.concat(this.#recent))
    this.#recent = []
  }

  /** Copies as much as fits. Returns the number of bytes. */
  takeInto(out: Buffer): number {
    if (this.bytes === 0) return 0
    let at = 0
    if (this.#joined.length > 0) at = this.#takeOf(this.#joined, out, 0)
    if (this.#joined.length === 0) at = this.#takeOf(this.#recent, out, at)
    this.bytes -= at
    return at
  }

  #takeOf(frames: Buffer[], out: Buffer, from: number): number {
    let at = from
    let done = 0
    for (const frame of frames) {
      const copied = frame.copy(out, at, this.#offset)
      at += copied
      this.#offset += copied
      if (this.#offset < frame.length) break
      this.#offset = 0
      done++
    }
    if (done === frames.length) frames.length = 0
    else frames.splice(0, done)
    return at
  }

  clear(): void {
    this.bytes = 0
    this.#offset = 0
    this.#joined = []
    this.#recent = []
  }
}
