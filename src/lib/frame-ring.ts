/**
 * Frames made last. Watchers of the same things get the same buffers, one watcher after the other: what the first of them had framed serves the rest. One ring a
 * protocol.
 */
export class FrameRing {
  private readonly make: (chunks: readonly Buffer[]) => Buffer
  private readonly ring: { readonly chunks: readonly Buffer[]; readonly frame: Buffer }[] = []
  private next = 0

  constructor(make: (chunks: readonly Buffer[]) => Buffer) {
    this.make = make
  }

  of(chunks: readonly Buffer[]): Buffer {
    for (const { chunks: made, frame } of this.ring) if (sameBuffers(made, chunks)) return frame
    const frame = this.make(chunks)
    // A large frame is rare and costs more to keep than to make.
    if (frame.length > 1 << 20) return frame
    this.ring[this.next] = { chunks, frame }
    this.next = (this.next + 1) % 8
    return frame
  }
}

function sameBuffers(a: readonly Buffer[], b: readonly Buffer[]): boolean {
  if (a === b) return true
  if (a.length !== b.length || a[0] !== b[0]) return false
  for (let i = 1; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
