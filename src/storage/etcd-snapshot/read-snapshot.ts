import { errorMessage } from '../../lib/error-message.ts'
import { fieldsOf, type MessageFields } from '../../lib/protobuf-fields.ts'
import { trimEndOf } from '../../lib/trim.ts'
import { type BoltEntry, BoltError, BoltFile } from './bolt-file.ts'
import type { SnapshotPath } from './snapshot-hash.ts'

/**
 * Bucket with every revision of every key. Its keys are main revision (8), `_`, sub revision (8), and a `t` if the key
 * was deleted.
 */
const BUCKET = 'key'
const REVISION_BYTES = 17

/** Bucket and key of the compacted revision. */
const [META, COMPACTED] = ['meta', 'finishedCompactRev']

/** Bucket of the leases, by id, with their times to live. */
const LEASES = 'lease'

/** A value with its metadata in etcd. */
export interface SnapshotValue {
  readonly key: string
  readonly value: Buffer
  readonly createRevision: number
  readonly modRevision: number
  /** Id of its lease; `0` if it has none. */
  readonly lease: string
}

/**
 * Iterates over the newest values of keys with a prefix, in a snapshot of etcd or the file of a stopped member. Throws
 * BoltError, and errors of the system.
 */
export function* snapshotValues(path: SnapshotPath, prefix: string): Generator<SnapshotValue> {
  const file = new BoltFile(path)
  try {
    const folder = `${trimEndOf(prefix, '/')}/`
    const newest = new Map<string, BoltEntry>()
    // Revisions ascend, so the last one of a key is its newest. Only keys and offsets are kept, and values are read
    // again.
    for (const entry of file.bucket(BUCKET)) {
      const { key } = keyValueOf(file.read(entry))
      if (!key.startsWith(folder)) continue
      if (entry.key.length > REVISION_BYTES) newest.delete(key)
      else newest.set(key, { ...entry, key: Buffer.alloc(0) })
    }
    for (const entry of newest.values()) yield keyValueOf(file.read(entry))
  } finally {
    file.close()
  }
}

/** Returns the newest revision, and the seconds of each lease by its id. Throws like `snapshotValues`. */
export function snapshotState(path: SnapshotPath): { readonly revision: number; readonly leaseSeconds: ReadonlyMap<string, number> } {
  const file = new BoltFile(path)
  try {
    let revision = 0
    for (const { key } of file.bucket(BUCKET)) revision = decodeRevision(key)
    // The newest changes may be deletions that have been compacted.
    for (const entry of file.bucket(META))
      if (entry.key.toString() === COMPACTED) revision = Math.max(revision, decodeRevision(file.read(entry)))
    const leaseSeconds = new Map<string, number>()
    for (const entry of file.bucket(LEASES)) {
      const { integer, number } = fieldsIn(file.read(entry))
      leaseSeconds.set(String(integer(1)), number(2))
    }
    return { revision, leaseSeconds }
  } finally {
    file.close()
  }
}

/** Decodes the revision in a key. Throws BoltError. */
function decodeRevision(bytes: Buffer): number {
  const revision = bytes.length >= REVISION_BYTES ? Number(bytes.readBigUInt64BE(0)) : Number.NaN
  if (!Number.isSafeInteger(revision)) throw new BoltError('an entry of the file is damaged: its key is not a revision')
  return revision
}

/** Decodes a mvccpb.KeyValue: key 1, create revision 2, mod revision 3, value 5, lease 6. */
function keyValueOf(bytes: Buffer): SnapshotValue {
  const fields = fieldsIn(bytes)
  return {
    key: fields.text(1),
    value: fields.bytes(5),
    createRevision: fields.number(2),
    modRevision: fields.number(3),
    lease: String(fields.integer(6)),
  }
}

/** Decodes the fields of an entry. Throws BoltError. */
function fieldsIn(bytes: Buffer): MessageFields {
  try {
    return fieldsOf(bytes)
  } catch (error) {
    throw new BoltError(`an entry of the file is damaged: ${errorMessage(error)}`)
  }
}
