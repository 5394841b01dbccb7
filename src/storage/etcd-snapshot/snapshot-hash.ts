import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { BoltError, BoltFile } from './bolt-file.ts'

/** Size of the hash at the end of a snapshot: the SHA-256 of all bytes before it. */
const HASH_BYTES = 32
/** Divisor of every bbolt page size. A file size with another remainder shows that a hash follows the pages. */
const SECTOR = 512
/** Size of one read, in bytes. */
const PIECE_BYTES = 1 << 20

declare const checked: unique symbol

/** Path of a snapshot of etcd whose hash was checked, or for which the user has skipped the check. */
export type SnapshotPath = string & { readonly [checked]: true }

/** Options of the check, from the flags of a command. */
export interface HashCheckOptions {
  /** Skips the check. A file copied from a member, `member/snap/db`, has no hash. */
  readonly skipHashCheck: boolean
}

/**
 * Checks the hash at the end of a snapshot, like `etcdutl snapshot restore` (etcd, etcdutl/snapshot/v3_snapshot.go).
 * Reads the file once, in chunks.
 * @throws BoltError if the file is not a bbolt database, has no hash, or has a different one; errors of the system
 */
export function checkedSnapshot(path: string, { skipHashCheck }: HashCheckOptions): SnapshotPath {
  new BoltFile(path).close()
  if (!skipHashCheck) checkHash(path)
  return path as SnapshotPath
}

/**
 * Compares the SHA-256 of the database with the 32 bytes after it. A database is a multiple of a sector long, so the
 * size shows whether there is a hash.
 */
function checkHash(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    if (size % SECTOR !== HASH_BYTES)
      throw new BoltError(
        `${path}: snapshot missing hash but --skip-hash-check=false: it is cut short, or member/snap/db of a stopped member, which is read with --skip-hash-check`,
      )
    const hash = createHash('sha256')
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    let at = 0
    for (const end = size - HASH_BYTES; at < end; ) {
      const read = readSync(descriptor, piece, 0, Math.min(piece.length, end - at), at)
      if (read === 0) throw new BoltError(`${path} was cut short while it was read`)
      hash.update(piece.subarray(0, read))
      at += read
    }
    const expected = Buffer.alloc(HASH_BYTES)
    readSync(descriptor, expected, 0, HASH_BYTES, at)
    const got = hash.digest()
    if (!got.equals(expected))
      throw new BoltError(
        `${path} is damaged: expected sha256 ${expected.toString('hex')}, got ${got.toString('hex')}: use another copy of the snapshot`,
      )
  } finally {
    closeSync(descriptor)
  }
}
