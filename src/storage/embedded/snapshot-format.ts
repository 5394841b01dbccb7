import { BackendError } from '../backend.ts'

/**
 * A snapshot of the embedded store, as it is sent and kept in a file. All numbers are big-endian.
 *
 * - 8 bytes: `BNCLSNP1`
 * - records: kind (1), length (4), as many bytes
 *   - `H`, the first: JSON of SnapshotHead
 *   - `E`: a row of `expiry`: deadline in ms (8), revision that set it (8), key
 *   - `L`: a row of `log`, in the order of revisions: revision (8), the record as it is stored (`layout.ts`)
 *   - `Z`, the last: SHA-256 of all bytes before it (32)
 *
 * `latest` and `deleted` follow from the log.
 */
export const MAGIC = Buffer.from('BNCLSNP1')
export const HEAD_BYTES = 5
/** A record of a request has 1.5 MiB, or what the store was asked to take. */
const LONGEST = 256 << 20

export type RecordKind = 'H' | 'E' | 'L' | 'Z'

/** What the store's `meta` had. */
export interface SnapshotHead {
  readonly format: number
  /** The newest; of what came later there is nothing. */
  readonly revision: number
  readonly compacted: number
  readonly swept: number
  readonly stamped?: number
  readonly stampedAt?: number
}

export function recordHead(kind: RecordKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head[0] = kind.charCodeAt(0)
  head.writeUInt32BE(length, 1)
  return head
}

/** Throws BackendError `corrupt` for what is no record. */
export function readRecordHead(bytes: Buffer): { readonly kind: RecordKind; readonly length: number } {
  const kind = String.fromCharCode(bytes.readUInt8(0))
  const length = bytes.readUInt32BE(1)
  if ((kind !== 'H' && kind !== 'E' && kind !== 'L' && kind !== 'Z') || length > LONGEST) throw damaged('it has a record of an unknown kind')
  return { kind, length }
}

export const damaged = (why: string): BackendError => new BackendError('corrupt', `the snapshot is damaged: ${why}`)
