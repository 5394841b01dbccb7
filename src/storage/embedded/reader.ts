import type { KeyValue } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { type Key, NO_REVISION, type Revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import type { LatestEntry } from './layout.ts'
import { decodeLatest, decodeRecord, keyValue, numberBytes, writeNumber } from './layout.ts'

/** Maximum size of a key in LMDB, in bytes. */
const MAX_KEY_BYTES = 1978

/**
 * Encodes a key.
 * @throws BackendError `too large` if it is longer than LMDB accepts
 */
export function keyBytes(key: Key): Buffer {
  const bytes = Buffer.from(key)
  if (bytes.length === 0 || bytes.length > MAX_KEY_BYTES)
    throw new BackendError('too large', `a key has 1 to ${MAX_KEY_BYTES} bytes, not ${bytes.length}`)
  return bytes
}

/** Encodes a bound of a range. A bound longer than any key is replaced by the first key that may follow it. */
export function boundBytes(key: Key): Buffer {
  const bytes = Buffer.from(key)
  if (bytes.length <= MAX_KEY_BYTES) return keyBytes(key)
  const next = bytes.subarray(0, MAX_KEY_BYTES)
  // UTF-8 has no 0xff byte, so the increment cannot overflow.
  next.writeUInt8(next.readUInt8(MAX_KEY_BYTES - 1) + 1, MAX_KEY_BYTES - 1)
  return next
}

/** Returns the newest change of a key. It may be a deletion, except in a store that keeps history. */
export function latestOf(tables: Tables, key: Buffer): LatestEntry | undefined {
  const bytes = tables.latest.getBinaryFast(key)
  return bytes && decodeLatest(bytes)
}

/** Returns the newest change of a key, which may be a deletion. */
export function newestOf(tables: Tables, key: Buffer): LatestEntry | undefined {
  const bytes = tables.latest.getBinaryFast(key) ?? tables.deleted.getBinaryFast(key)
  return bytes && decodeLatest(bytes)
}

/** Buffer that every read reuses. */
const logKey = numberBytes(0)

/**
 * Reads the change of a revision; undefined if it is compacted. `keep` copies the value out of the table. Default: into
 * a buffer of its own.
 */
export function changeAt(tables: Tables, key: Key, revision: Revision, keep?: (view: Buffer) => Buffer): KeyValue | undefined {
  writeNumber(logKey, revision, 0)
  const bytes = tables.log.getBinaryFast(logKey)
  return bytes && keyValue(key, revision, bytes, keep)
}

/**
 * Returns the revision that wrote the key's value as of `at`, 0 if the key did not exist then. Walks back along the
 * key's chain of changes, using the jumps of stamps. `at` must not be compacted, so if a change is missing, the key did
 * not exist.
 */
export function revisionAt(tables: Tables, entry: LatestEntry, at: number): Revision {
  if (entry.modRevision <= at) return entry.live ? entry.modRevision : NO_REVISION
  let revision = entry.modRevision
  for (;;) {
    const bytes = tables.log.getBinaryFast(numberBytes(revision))
    if (!bytes) return NO_REVISION
    const record = decodeRecord(bytes)
    if (revision <= at) return record.createRevision === 0 ? NO_REVISION : revision
    if (record.before === 0) return NO_REVISION
    const { stamp } = record
    revision = stamp !== undefined && stamp.jump > at ? stamp.jump : record.before
  }
}

/**
 * Reports whether a key existed at the revision, like `revisionAt`, but without reading the chain if the entry is
 * sufficient.
 */
export function existedAt(tables: Tables, entry: LatestEntry, at: number): boolean {
  if (entry.modRevision <= at) return entry.live
  return (entry.live && entry.createRevision <= at) || revisionAt(tables, entry, at) !== 0
}

/** Reads a key as of a revision, which must not be compacted. If `at` is undefined, reads the newest value. */
export function getAt(tables: Tables, key: Key, at: Revision | undefined): KeyValue | undefined {
  const entry = Buffer.byteLength(key) > MAX_KEY_BYTES ? undefined : (at === undefined ? latestOf : newestOf)(tables, keyBytes(key))
  if (!entry) return undefined
  const revision = at === undefined ? (entry.live ? entry.modRevision : NO_REVISION) : revisionAt(tables, entry, at)
  return revision === 0 ? undefined : changeAt(tables, key, revision)
}
