import { statfsSync } from 'node:fs'
import { errorMessage } from '../../lib/error-message.ts'

/** Numbers of the system's errors, which LMDB passes on. */
const EIO = 5
export const ENOSPC = 28

/** A commit takes less than this, so that a write which fails with more room to spare has another cause. */
const MOST_NEEDED = 8 << 20

/** A commit that has not reached the disk. Nothing of it is kept. */
export class CommitFailure extends Error {
  override readonly name = 'CommitFailure'
  /** Whether the disk has no room. */
  readonly isFull: boolean

  constructor(message: string, { isFull = false, cause }: { readonly isFull?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.isFull = isFull
  }
}

/** Whether an error is a CommitFailure, or was caused by one: `report-commits.ts` logs those. */
export const isCommitFailure = (error: unknown): boolean => error instanceof CommitFailure || (error instanceof Error && error.cause instanceof CommitFailure)

/** Bytes that are free where a directory is; undefined if the system does not say. */
export function freeBytesAt(dir: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(dir)
    return bavail * bsize
  } catch {
    return undefined
  }
}

/** The failure of a commit in a directory, by what LMDB reports: where a disk has room for a part of a write alone, that is an input/output error. */
export function commitFailure(dir: string, cause: unknown, freeBytes = freeBytesAt): CommitFailure {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const free = code === EIO ? freeBytes(dir) : undefined
  const isFull = code === ENOSPC || (free !== undefined && free < MOST_NEEDED)
  return new CommitFailure(isFull ? 'no space left on device' : errorMessage(cause), { isFull, cause })
}
