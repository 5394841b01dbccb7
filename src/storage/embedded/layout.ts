import type { KeyValue } from '../backend.ts'
import { type Key, key, type Revision, revision } from '../revision.ts'

/**
 * Layout of the embedded store's tables. Numbers are big-endian, so that LMDB's byte order is their order.
 *
 * - `log`: revision (8) → one change: kind (1), create revision (8), previous change of the key (8), length of the key
 *   (2), key, value
 * - `latest`: key → its newest change: revision (8), create revision (8), 1 if the key exists and 0 if it was deleted
 *   (1). A deleted key stays until its deletion is compacted, so that older revisions can still be listed.
 * - `expiry`: deadline in ms since 1970 (8), revision that set it (8) → key
 * - `meta`: a word → a number (8)
 *
 * The previous changes form a chain per key, which reads of older revisions follow.
 *
 * A store that keeps history has format 2. Its changes have another kind, and a stamp after the length of the key: time
 * in ms (8), bytes of history (8), jump (8), span (4). Deleted keys move from `latest` to `deleted`, which has the same
 * rows, so that reads of the present need not skip them.
 *
 * On disk, rows have a checksum before their value since format 3, which `environment.ts` adds and removes. Rows
 * written by a program for format 1 or 2 have none, and are not rewritten.
 */
export const PLAIN_FORMAT = 1
/** Changes have stamps. A program that only knows PLAIN_FORMAT refuses the store. */
export const HISTORY_FORMAT = 2
/** Rows have a checksum (`row-checksum.ts`), whether or not the store keeps history. */
export const CHECKED_FORMAT = 3

/** Kinds of a change in the log. */
export const PUT_RECORD = 1
export const DELETION_RECORD = 2
/** Added to the kind of a change that has a stamp. */
const STAMPED = 2
/**
 * Bytes before the key, or before the stamp if there is one: kind (1), create revision (8), previous change (8), length
 * of the key (2).
 */
const HEADER_BYTES = 19
/** Bytes of a stamp: time (8), bytes (8), jump (8), span (4). */
const STAMP_BYTES = 28

/** The newest change of a key, without its value. */
export interface LatestEntry {
  /** Revision of the change, which is its key in `log`. */
  readonly modRevision: Revision
  /** 0 for a deleted key. */
  readonly createRevision: Revision
  /** False if the change deleted the key. */
  readonly live: boolean
}

/** Additional fields of a change in a store that keeps history. */
export interface Stamp {
  /** Milliseconds since 1970. Never less than that of the previous change in the store. */
  readonly time: number
  /** Total bytes that compaction up to this revision frees, counted from the first change with a stamp. */
  readonly bytes: number
  /**
   * An earlier change of the key: the previous one, or one further back; 0 if there is none. Following jumps takes
   * logarithmic time in the length of the chain.
   */
  readonly jump: Revision
  /** Number of changes of the key that the jump goes back. */
  readonly span: number
}

/** A change to be written. */
export interface NewRecord {
  readonly kind: typeof PUT_RECORD | typeof DELETION_RECORD
  /** 0 for a deletion. */
  readonly createRevision: number
  /** Revision of the previous change of the key; 0 if there is none. */
  readonly before: number
  /** Undefined in a store that does not keep history. */
  readonly stamp?: Stamp | undefined
}

/** A decoded record of the log. */
export interface LogRecord {
  readonly kind: number
  /** 0 for a deletion. */
  readonly createRevision: Revision
  /** The previous change of the key; 0 if there is none. It may be compacted. */
  readonly before: Revision
  readonly stamp: Stamp | undefined
  readonly key: Buffer
  /** A view: copy it to keep it. */
  readonly value: Buffer
}

/** Writes a non-negative integer below 2^53 as eight bytes, big-endian. */
export function writeNumber(target: Buffer, n: number, offset: number): void {
  target.writeUInt32BE(Math.floor(n / 0x1_0000_0000), offset)
  target.writeUInt32BE(n >>> 0, offset + 4)
}

/** Reads a number that `writeNumber` has written. */
export const readNumber = (source: Buffer, offset: number): number =>
  source.readUInt32BE(offset) * 0x1_0000_0000 + source.readUInt32BE(offset + 4)

/** Reads a revision that `writeNumber` has written. */
export const readRevision = (source: Buffer, offset: number): Revision => revision(readNumber(source, offset))

/** Decodes a key of `latest` or a value of `expiry`. The bytes are those of the key in etcd. */
export const decodeKey = (bytes: Buffer): Key => key(bytes.toString())

/** Encodes a key of `log`: eight bytes, big-endian. */
export function numberBytes(n: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  writeNumber(bytes, n, 0)
  return bytes
}

/** Encodes a key of `expiry`. Keys are ordered by deadline, in milliseconds since 1970. */
export function expiryKey(deadline: number, revision: number): Buffer {
  const bytes = Buffer.allocUnsafe(16)
  writeNumber(bytes, deadline, 0)
  writeNumber(bytes, revision, 8)
  return bytes
}

/** Encodes a row of `latest` or `deleted`. */
export function encodeLatest(entry: LatestEntry): Buffer {
  const bytes = Buffer.allocUnsafe(17)
  writeNumber(bytes, entry.modRevision, 0)
  writeNumber(bytes, entry.createRevision, 8)
  bytes[16] = entry.live ? 1 : 0
  return bytes
}

/** Decodes a row of `latest` or `deleted`. */
export const decodeLatest = (bytes: Buffer): LatestEntry => ({
  modRevision: readRevision(bytes, 0),
  createRevision: readRevision(bytes, 8),
  live: bytes[16] === 1,
})

/**
 * Encodes a record in a buffer of its own, never one of Buffer's pool: a value cut out of it by `recordValue` may be
 * kept.
 */
export function encodeRecord({ kind, createRevision, before, stamp }: NewRecord, key: Buffer, value: Buffer | undefined): Buffer {
  const keyStart = stamp === undefined ? HEADER_BYTES : HEADER_BYTES + STAMP_BYTES
  const bytes = Buffer.allocUnsafeSlow(keyStart + key.length + (value?.length ?? 0))
  bytes[0] = stamp === undefined ? kind : kind + STAMPED
  writeNumber(bytes, createRevision, 1)
  writeNumber(bytes, before, 9)
  bytes.writeUInt16BE(key.length, 17)
  if (stamp !== undefined) writeStamp(bytes, stamp)
  key.copy(bytes, keyStart)
  value?.copy(bytes, keyStart + key.length)
  return bytes
}

/** Writes a stamp after the head of a record. */
function writeStamp(bytes: Buffer, { time, bytes: freed, jump, span }: Stamp): void {
  writeNumber(bytes, time, HEADER_BYTES)
  writeNumber(bytes, freed, HEADER_BYTES + 8)
  writeNumber(bytes, jump, HEADER_BYTES + 16)
  bytes.writeUInt32BE(span, HEADER_BYTES + 24)
}

const isStamped = (bytes: Buffer): boolean => bytes.readUInt8(0) > STAMPED
const keyStartOf = (bytes: Buffer): number => (isStamped(bytes) ? HEADER_BYTES + STAMP_BYTES : HEADER_BYTES)

const stampOf = (bytes: Buffer): Stamp | undefined =>
  isStamped(bytes)
    ? {
        time: readNumber(bytes, HEADER_BYTES),
        bytes: readNumber(bytes, HEADER_BYTES + 8),
        jump: readRevision(bytes, HEADER_BYTES + 16),
        span: bytes.readUInt32BE(HEADER_BYTES + 24),
      }
    : undefined

/** Decodes a record. Key and value are views of its bytes. */
export function decodeRecord(bytes: Buffer): LogRecord {
  const keyStart = keyStartOf(bytes)
  const keyEnd = keyStart + bytes.readUInt16BE(17)
  const kind = bytes.readUInt8(0)
  return {
    kind: kind > STAMPED ? kind - STAMPED : kind,
    createRevision: readRevision(bytes, 1),
    before: readRevision(bytes, 9),
    stamp: stampOf(bytes),
    key: bytes.subarray(keyStart, keyEnd),
    value: bytes.subarray(keyEnd),
  }
}

/** Returns the value of an encoded record, as a view. */
export const recordValue = (bytes: Buffer): Buffer => bytes.subarray(keyStartOf(bytes) + bytes.readUInt16BE(17))

/** Returns a copy in a buffer of its own, which retains no other memory. */
export function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Decodes a put. `modRevision` is the revision of its record, and `keep` copies the value. */
export const keyValue = (key: Key, modRevision: Revision, record: Buffer, keep: (view: Buffer) => Buffer = copyOf): KeyValue => ({
  key,
  value: keep(recordValue(record)),
  createRevision: readRevision(record, 1),
  modRevision,
})
