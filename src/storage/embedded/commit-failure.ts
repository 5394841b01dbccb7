import { statfsSync } from 'node:fs'
import { errorMessage } from '../../lib/error-message.ts'

/** Error numbers of the system (errno), which LMDB passes on. */
const EIO = 5
export const ENOSPC = 28

/** Upper bound on what a commit writes. A write that fails with more free space has another cause. */
const MOST_NEEDED = 8 << 20

/** Failure of a commit. None of its changes are kept. */
export class CommitFailure extends Error {
  override readonly name = 'CommitFailure'
  /** Whether the disk is full. */
  readonly isFull: boolean

  constructor(message: string, { isFull = false, cause }: { readonly isFull?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.isFull = isFull
  }
}

/** Whether an error is a CommitFailure, or was caused by one. `report-commits.ts` logs those. */
export const isCommitFailure = (error: unknown): boolean =>
  error instanceof CommitFailure || (error instanceof Error && error.cause instanceof CommitFailure)

/** Returns the free bytes on the disk of a directory; undefined if the system does not report them. */
export function freeBytesAt(dir: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/**
 * Classifies LMDB's error of a commit in a directory. On a disk with room for only a part of a write, LMDB reports an
 * input/output error.
 */
export function commitFailure(dir: string, cause: unknown, freeBytes = freeBytesAt): CommitFailure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const free = code === EIO ? freeBytes(dir) : undefined
  const isFull = code === ENOSPC || (free !== undefined && free < MOST_NEEDED)
  return new CommitFailure(isFull ? 'no space left on device' : errorMessage(cause), { isFull, cause })
}
