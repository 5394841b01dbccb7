import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parsedObject } from '../../meta/json-members.ts'
import { BackendError } from '../backend.ts'
import { revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import { DELETION_RECORD, decodeRecord, encodeLatest, HISTORY_FORMAT, readNumber } from './layout.ts'
import { fillNewStore } from './new-store.ts'
import { damaged, HEAD_BYTES, MAGIC, readRecordHead, type SnapshotHead } from './snapshot-format.ts'
import { raiseFormat, setMeta } from './tables.ts'

/** Bytes of one commit, and of each read of the file. */
const COMMIT_BYTES = 8 << 20
const PIECE_BYTES = 1 << 20

interface SnapshotRecord {
  readonly kind: 'H' | 'E' | 'L'
  /** A view, valid until the next record is read. */
  readonly bytes: Buffer
}

/**
 * Reads and verifies a whole snapshot, and returns its head. Throws BackendError `corrupt` if the file is not a
 * snapshot, or is damaged or incomplete.
 */
export function checkSnapshot(file: string): SnapshotHead {
  let head: SnapshotHead | undefined
  for (const { kind, bytes } of recordsOf(file)) if (kind === 'H') head = headIn(bytes)
  if (head === undefined) throw damaged('it has no head')
  return head
}

/**
 * Fills a new store with a snapshot: all revisions, times and times to live. Returns the number of changes. If it
 * fails, the store has no revision and can be filled by another attempt.
 * @throws BackendError `unavailable` if another process holds the directory; `corrupt` if the store has been written
 * to, or the snapshot is damaged or of a later program
 */
export async function restoreSnapshot(file: string, dir: string): Promise<{ readonly changes: number; readonly revision: number }> {
  const head = checkSnapshot(file)
  if (head.format > HISTORY_FORMAT)
    throw new BackendError(
      'corrupt',
      `the snapshot has format ${head.format}, which is newer than format ${HISTORY_FORMAT} of this program`,
    )
  return fillNewStore(dir, async tables => ({ changes: await fillFromSnapshot(tables, file, head), revision: head.revision }))
}

/**
 * Writes the records in commits of some megabytes, and the meta last, so that a failed restore leaves a store that
 * counts as new.
 */
async function fillFromSnapshot(tables: Tables, file: string, head: SnapshotHead): Promise<number> {
  const records = recordsOf(file)
  let changes = 0
  let isDone = false
  const putSome = (): void => {
    for (let bytes = 0; bytes < COMMIT_BYTES; ) {
      const { done, value: record } = records.next()
      if (done) {
        isDone = true
        return
      }
      bytes += record.bytes.length
      if (record.kind === 'E') tables.expiry.putSync(copied(record.bytes, 0, 16), copied(record.bytes, 16))
      if (record.kind !== 'L') continue
      changes++
      putChange(tables, record.bytes, head)
    }
  }
  while (!isDone) await tables.commit(putSome)
  await tables.commit(() => {
    raiseFormat(tables, head.format)
    for (const word of ['compacted', 'swept', 'stamped', 'stampedAt', 'revision'] as const) {
      const value = head[word]
      if (value !== undefined) setMeta(tables, word, value)
    }
  })
  return changes
}

/**
 * Stores a change. Changes must come in the order of their revisions, so that the last change of a key remains in
 * `latest` or `deleted`.
 */
function putChange(tables: Tables, bytes: Buffer, head: SnapshotHead): void {
  const apart = head.stamped !== undefined
  const modRevision = revision(readNumber(bytes, 0))
  const record = copied(bytes, 8)
  const { kind, createRevision, key } = decodeRecord(record)
  if (key.length === 0 || modRevision > head.revision) throw damaged('it has invalid changes')
  tables.log.putSync(copied(bytes, 0, 8), record)
  const live = kind !== DELETION_RECORD
  const [to, from] = live || !apart ? [tables.latest, tables.deleted] : [tables.deleted, tables.latest]
  to.putSync(key, encodeLatest({ modRevision, createRevision, live }))
  if (apart) from.removeSync(key)
}

const copied = (bytes: Buffer, start: number, end = bytes.length): Buffer => Buffer.from(bytes.subarray(start, end))

/**
 * Reads the records of a snapshot. The checksum is verified only at the end, so records read before that may be
 * damaged.
 */
function* recordsOf(file: string): Generator<SnapshotRecord, void> {
  const descriptor = openSync(file, 'r')
  try {
    const hash = createHash('sha256')
    const reader = pieceReader(descriptor)
    if (!reader.take(MAGIC.length).equals(MAGIC)) throw damaged('it is not a snapshot of this program')
    hash.update(MAGIC)
    for (let isFirst = true; ; isFirst = false) {
      const head = Buffer.from(reader.take(HEAD_BYTES))
      const { kind, length } = readRecordHead(head)
      const bytes = reader.take(length)
      if (kind === 'Z') {
        if (!hash.digest().equals(bytes)) throw damaged('its checksum does not match')
        if (!reader.isAtEnd()) throw damaged('it continues after its end')
        return
      }
      if (isFirst !== (kind === 'H') || (kind === 'E' && length < 17) || (kind === 'L' && length < 28))
        throw damaged('its records are out of order')
      hash.update(head).update(bytes)
      yield { kind, bytes }
    }
  } finally {
    closeSync(descriptor)
  }
}

interface PieceReader {
  /** Returns the next bytes as a view, valid until the next call. Throws BackendError `corrupt` if there are fewer. */
  take(length: number): Buffer
  isAtEnd(): boolean
}

/** Reads a file in pieces that are large enough for what is taken from them. */
function pieceReader(descriptor: number): PieceReader {
  let piece = Buffer.alloc(0)
  const fillTo = (length: number): boolean => {
    while (piece.length < length) {
      const more = Buffer.allocUnsafe(Math.max(PIECE_BYTES, length - piece.length))
      const read = readSync(descriptor, more, 0, more.length, null)
      if (read === 0) return false
      piece = Buffer.concat([piece, more.subarray(0, read)])
    }
    return true
  }
  return {
    take(length) {
      if (!fillTo(length)) throw damaged('it is cut short')
      const bytes = piece.subarray(0, length)
      piece = piece.subarray(length)
      return bytes
    },
    isAtEnd: () => !fillTo(1),
  }
}

function headIn(bytes: Buffer): SnapshotHead {
  const { format, revision: newest, compacted, swept, stamped, stampedAt } = parsedObject(bytes.toString()) ?? {}
  const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  if (!isNumber(format) || !isNumber(newest) || !isNumber(compacted) || !isNumber(swept)) throw damaged('its head cannot be read')
  return { format, revision: newest, compacted, swept, ...(isNumber(stamped) && isNumber(stampedAt) && { stamped, stampedAt }) }
}
