import type { Piece } from './pieces.ts'
import { runAtOnce, type Steps } from './steps.ts'

/** A long body that is produced while it is sent, so that it is never in memory as a whole. */
export interface FilledBody {
  /** Total length in bytes. */
  readonly length: number
  /**
   * Returns the next bytes, at least one: either a part of `target` that was filled, or a buffer of its own. Called
   * until `length` bytes have been returned.
   */
  fill(target: Buffer): Buffer
  /** Optional. The same bytes in pieces, some of which may be compressed already. */
  readonly pieces?: (() => Iterable<Piece>) | undefined
}

const PART_BYTES = 128 * 1024

/** Returns the whole body in one buffer. */
export const wholeOf = (body: FilledBody): Buffer => runAtOnce(wholeInSteps(body))

/** Like `wholeOf`, in steps of one part each. */
export function* wholeInSteps(body: FilledBody): Steps<Buffer> {
  const whole = Buffer.allocUnsafe(body.length)
  const part = Buffer.allocUnsafe(Math.min(PART_BYTES, body.length + 256))
  for (let at = 0; at < whole.length; ) {
    const filled = body.fill(part)
    whole.set(filled, at)
    at += filled.length
    yield
  }
  return whole
}

/**
 * Makes a body of segments. As many as fit are copied into the target, because copying 2 KB costs less than another
 * write. A segment larger than the target is returned as it is.
 */
export function filledWith(segments: readonly Buffer[], length: number): FilledBody {
  let next = 0
  const fill = (target: Buffer): Buffer => {
    let at = 0
    for (; next < segments.length; next++) {
      const segment = segments[next]
      if (segment === undefined) continue
      if (at + segment.length > target.length) {
        if (at > 0) break
        next++
        return segment
      }
      target.set(segment, at)
      at += segment.length
    }
    return target.subarray(0, at)
  }
  return { length, fill }
}
