import type { KeyValue } from '../backend.ts'
import { type Key, key, type Revision, revision } from '../revision.ts'

/**
 * How the embedded store's tables are laid out. Numbers are big-endian, so that LMDB's byte order is theirs.
 *
 * - `log`: revision (8) → one change: kind (1), create revision (8), the key's change before (8), length of the key (2), key, value
 * - `latest`: key → its newest change: revision (8), create revision (8), 1 where it lives and 0 where it was deleted (1). A deleted key
 *   stays until its deletion is compacted, so that older revisions can still be listed.
 * - `expiry`: deadline in ms (8), revision that set it (8) → key
 * - `meta`: a word → a number (8)
 *
 * The change before makes a chain per key, which reads of older revisions follow.
 *
 * A store that keeps history has format 2. Changes that are made in it have another kind, and a stamp behind the length of the key: time in ms (8), bytes of history (8), jump (8), span (4). Deleted keys leave `latest`
 * for `deleted`, which has the same rows, so that reads of the present pass over none of them.
 *
 * On a disk, rows have a checksum before their value since format 3: `environment.ts` puts it there and takes it away. Rows that a program for format 1 or 2 wrote have none, and stay as they are.
 */
export const plainFormat = 1
export const historyFormat = 2
/** Rows that are written have a checksum (`row-checksum.ts`), whether the store keeps history or not. */
export const checkedFormat = 3

export const put = 1
export const deletion = 2
/** What a kind with a stamp has more. */
const STAMPED = 2
const header = 19
const stampBytes = 28

export interface LatestEntry {
  readonly modRevision: Revision
  /** 0 for a deleted key. */
  readonly createRevision: Revision
  readonly live: boolean
}

/** What a change of a store that keeps history says besides. */
export interface Stamp {
  /** Milliseconds since 1970; never less than that of the change before in the store. */
  readonly time: number
  /** Bytes that compacting up to this revision gives free, of all changes from the first with a stamp on. */
  readonly bytes: number
  /** An earlier change of the key, at the change before or beyond it; 0 where there is none. Following them a chain of n changes is searched in a logarithm of n. */
  readonly jump: Revision
  /** How many changes of the key the jump goes back. */
  readonly span: number
}

/** A change about to be written. */
export interface NewRecord {
  readonly kind: typeof put | typeof deletion
  readonly createRevision: number
  readonly before: number
  readonly stamp?: Stamp | undefined
}

export interface LogRecord {
  readonly kind: number
  /** 0 for a deletion. */
  readonly createRevision: Revision
  /** The key's change before this one, 0 where there was none. It may be compacted. */
  readonly before: Revision
  readonly stamp: Stamp | undefined
  readonly key: Buffer
  /** A view: copy what is kept. */
  readonly value: Buffer
}

export function writeNumber(target: Buffer, n: number, offset: number): void {
  target.writeUInt32BE(Math.floor(n / 0x1_0000_0000), offset)
  target.writeUInt32BE(n >>> 0, offset + 4)
}

export const readNumber = (source: Buffer, offset: number): number => source.readUInt32BE(offset) * 0x1_0000_0000 + source.readUInt32BE(offset + 4)

export const readRevision = (source: Buffer, offset: number): Revision => revision(readNumber(source, offset))

/** The key of a row of `latest` or a value of `expiry`, which are the same bytes as the key in etcd. */
export const keyOf = (bytes: Buffer): Key => key(bytes.toString())

/** A key of `log`: eight bytes, big-endian. */
export function numberBytes(n: number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  writeNumber(bytes, n, 0)
  return bytes
}

/** A key of `expiry`, in the order of deadlines (milliseconds since 1970). */
export function expiryKey(deadline: number, revision: number): Buffer {
  const bytes = Buffer.allocUnsafe(16)
  writeNumber(bytes, deadline, 0)
  writeNumber(bytes, revision, 8)
  return bytes
}

export function encodeLatest(entry: LatestEntry): Buffer {
  const bytes = Buffer.allocUnsafe(17)
  writeNumber(bytes, entry.modRevision, 0)
  writeNumber(bytes, entry.createRevision, 8)
  bytes[16] = entry.live ? 1 : 0
  return bytes
}

export const decodeLatest = (bytes: Buffer): LatestEntry => ({
  modRevision: readRevision(bytes, 0),
  createRevision: readRevision(bytes, 8),
  live: bytes[16] === 1,
})

/** A buffer of its own (never of Buffer's pool): a value cut out of it by `recordValue` may be kept. */
export function encodeRecord({ kind, createRevision, before, stamp }: NewRecord, key: Buffer, value: Buffer | undefined): Buffer {
  const keyStart = stamp === undefined ? header : header + stampBytes
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

function writeStamp(bytes: Buffer, { time, bytes: freed, jump, span }: Stamp): void {
  writeNumber(bytes, time, header)
  writeNumber(bytes, freed, header + 8)
  writeNumber(bytes, jump, header + 16)
  bytes.writeUInt32BE(span, header + 24)
}

const isStamped = (bytes: Buffer): boolean => bytes.readUInt8(0) > STAMPED
const keyStartOf = (bytes: Buffer): number => (isStamped(bytes) ? header + stampBytes : header)

const stampOf = (bytes: Buffer): Stamp | undefined =>
  isStamped(bytes)
    ? { time: readNumber(bytes, header), bytes: readNumber(bytes, header + 8), jump: readRevision(bytes, header + 16), span: bytes.readUInt32BE(header + 24) }
    : undefined

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

/** The value of an encoded record. A view. */
export const recordValue = (bytes: Buffer): Buffer => bytes.subarray(keyStartOf(bytes) + bytes.readUInt16BE(17))

/** A copy that pins only itself. */
export function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}

/** Result of a put: `modRevision` is the revision of its record. `keep` copies the value. */
export const keyValue = (key: Key, modRevision: Revision, record: Buffer, keep: (view: Buffer) => Buffer = copyOf): KeyValue => ({
  key,
  value: keep(recordValue(record)),
  createRevision: readRevision(record, 1),
  modRevision,
})
