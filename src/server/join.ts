/** Written in one go, before the event loop gets its turn. */
export const WRITE_BYTES = 128 * 1024
/** Scratch buffers kept for the next large answers. */
const MAX_FREE = 4

const free: Buffer[] = []

/** Memory to join segments in. Fresh memory of this size costs more than the copying: give it back as soon as nothing refers to it. */
export const takeScratch = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(WRITE_BYTES)

export function giveScratch(scratch: Buffer): void {
  if (free.length < MAX_FREE) free.push(scratch)
}

/**
 * Copies segments from `at` on into the scratch, as many as it holds: copying 2 KB costs less than a write of its own. A segment that is larger than the scratch is returned as it is.
 * Returns what to write and the first segment that is left.
 */
export function join(segments: readonly Buffer[], at: number, scratch: Buffer): { readonly joined: Buffer; readonly next: number } {
  let length = 0
  let next = at
  for (; next < segments.length; next++) {
    const segment = segments[next]
    if (segment === undefined) continue
    if (length + segment.length > scratch.length) {
      if (length === 0) return { joined: segment, next: next + 1 }
      break
    }
    scratch.set(segment, length)
    length += segment.length
  }
  return { joined: scratch.subarray(0, length), next }
}
