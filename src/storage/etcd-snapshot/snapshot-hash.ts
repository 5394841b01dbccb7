import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { BoltError, BoltFile } from './bolt-file.ts'

/** Bytes of the hash that a snapshot ends with: SHA-256 of all bytes before it. */
const HASH_BYTES = 32
/** Pages of bbolt are multiples of it, so a file with another remainder has a hash at its end. */
const SECTOR = 512
/** The file is read in pieces of this size. */
const PIECE_BYTES = 1 << 20

declare const checked: unique symbol

/** Path of a snapshot of etcd whose hash was checked, or whose check was skipped on the user's demand. */
export type SnapshotPath = string & { readonly [checked]: true }

export interface HashCheckOptions {
  /** Skips the check. A file copied from a member, `member/snap/db`, has no hash. */
  readonly skipHashCheck: boolean
}

/**
 * Checks the hash at the end of a snapshot, as `etcdutl snapshot restore` does (etcd, etcdutl/snapshot/v3_snapshot.go). Reads the file once, by the piece.
 * @throws BoltError if the file is no bbolt database, has no hash, or has another one; errors of the system
 */
export function checkedSnapshot(path: string, { skipHashCheck }: HashCheckOptions): SnapshotPath {
  new BoltFile(path).close()
  if (!skipHashCheck) checkHash(path)
  return path as SnapshotPath
}

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
      throw new BoltError(`${path} is damaged: expected sha256 ${expected.toString('hex')}, got ${got.toString('hex')}: use another copy of the snapshot`)
  } finally {
    closeSync(descriptor)
  }
}
