/** Of one write of a long answer; the event loop gets its turn before the next. */
export const WRITE_BYTES = 128 * 1024
/** Kept for the next long answers. */
const MAX_FREE = 16

const free: Buffer[] = []

/** Memory to fill. Fresh memory of this size costs more than what is done with it, and collections besides: give it back as soon as nothing refers to it. */
export const takeScratch = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(WRITE_BYTES)

export function giveScratch(scratch: Buffer): void {
  if (free.length < MAX_FREE) free.push(scratch)
}
