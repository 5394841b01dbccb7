import type { Piece } from './pieces.ts'
import { runAtOnce, type Steps } from './steps.ts'

/** A long body that is made while it is sent: it never lies in memory as a whole. */
export interface FilledBody {
  /** Bytes in all. */
  readonly length: number
  /** The next bytes, never none: a part of `target` that has been filled with them, or a buffer of their own. Called until `length` bytes have come. */
  fill(target: Buffer): Buffer
  /** The same bytes in pieces, some of which may have been compressed before. Absent: it has none. */
  readonly pieces?: (() => Iterable<Piece>) | undefined
}

const PART_BYTES = 128 * 1024

/** All of it in one buffer. */
export const wholeOf = (body: FilledBody): Buffer => runAtOnce(wholeInSteps(body))

/** The same in steps, a part each. */
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
 * Segments as a body: they are copied into the target, as many as it holds, for copying 2 KB costs less than a write of its own. One that is larger than the target is given as it is.
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
