import { BackendError } from '../backend.ts'

/**
 * Format of a snapshot of the embedded store, as a stream or file. Numbers are big-endian.
 *
 * - 8 bytes: `BNCLSNP1`
 * - records: kind (1), length (4), and so many bytes
 *   - `H`, the first: JSON of SnapshotHead
 *   - `E`: a row of `expiry`: deadline in ms since 1970 (8), revision that set it (8), key
 *   - `L`: a row of `log`, in the order of revisions: revision (8), the stored record (`layout.ts`)
 *   - `Z`, the last: SHA-256 of all bytes before it (32)
 *
 * `latest` and `deleted` are derived from the log.
 */
export const MAGIC = Buffer.from('BNCLSNP1')
/** Size of the head of a record: kind (1) and length (4). */
export const HEAD_BYTES = 5
/** Limit on the length of a record, in bytes. A write is limited to 1.5 MiB by default. */
const LONGEST = 256 << 20

/** Head, expiry, log and end. */
export type RecordKind = 'H' | 'E' | 'L' | 'Z'

/** Contents of the store's `meta`. */
export interface SnapshotHead {
  /** `PLAIN_FORMAT` or `HISTORY_FORMAT` of `layout.ts`. Records in a snapshot have no checksums of their own. */
  readonly format: number
  /** The newest revision. Later changes are not in the snapshot. */
  readonly revision: number
  /** Revision up to which the log is compacted. Older states cannot be read. */
  readonly compacted: number
  readonly swept: number
  readonly stamped?: number
  readonly stampedAt?: number
}

/** Encodes the head of a record of `length` bytes. */
export function recordHead(kind: RecordKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head[0] = kind.charCodeAt(0)
  head.writeUInt32BE(length, 1)
  return head
}

/** Decodes the head of a record. Throws BackendError `corrupt` if it is invalid. */
export function readRecordHead(bytes: Buffer): { readonly kind: RecordKind; readonly length: number } {
  const kind = String.fromCharCode(bytes.readUInt8(0))
  const length = bytes.readUInt32BE(1)
  if ((kind !== 'H' && kind !== 'E' && kind !== 'L' && kind !== 'Z') || length > LONGEST)
    throw damaged('it has a record of an unknown kind')
  return { kind, length }
}

/** Returns the error for a snapshot that cannot be read. */
export const damaged = (why: string): BackendError => new BackendError('corrupt', `the snapshot is damaged: ${why}`)
