import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parsedObject } from '../../meta/json-members.ts'
import { BackendError } from '../backend.ts'
import { revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import { decodeRecord, deletion, encodeLatest, historyFormat, readNumber } from './layout.ts'
import { fillNewStore } from './new-store.ts'
import { damaged, HEAD_BYTES, MAGIC, readRecordHead, type SnapshotHead } from './snapshot-format.ts'
import { raiseFormat, setMeta } from './tables.ts'

/** One commit holds so many bytes, and the file is read in pieces of this size. */
const COMMIT_BYTES = 8 << 20
const PIECE_BYTES = 1 << 20

interface SnapshotRecord {
  readonly kind: 'H' | 'E' | 'L'
  /** A view, until the next one is read. */
  readonly bytes: Buffer
}

/** Throws BackendError `corrupt` for a file that is no snapshot, or not whole: then nothing of it is used. */
export function checkSnapshot(file: string): SnapshotHead {
  let head: SnapshotHead | undefined
  for (const { kind, bytes } of recordsOf(file)) if (kind === 'H') head = headIn(bytes)
  if (head === undefined) throw damaged('it has no head')
  return head
}

/**
 * Fills a new store with a snapshot: all revisions, times and times to live. Returns how many changes there were. Where it fails the store is left without a revision, and is filled anew by another try.
 * @throws BackendError `unavailable` where another process holds the directory, `corrupt` where there is a store that has been written to, or the snapshot is damaged or of a later program
 */
export async function restoreSnapshot(file: string, dir: string): Promise<{ readonly changes: number; readonly revision: number }> {
  const head = checkSnapshot(file)
  if (head.format > historyFormat)
    throw new BackendError('corrupt', `the snapshot has format ${head.format}, which is newer than format ${historyFormat} of this program`)
  return fillNewStore(dir, async tables => ({ changes: await fill(tables, file, head), revision: head.revision }))
}

async function fill(tables: Tables, file: string, head: SnapshotHead): Promise<number> {
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

/** In the order of revisions, so that the last change of a key is the one that stays. */
function putChange(tables: Tables, bytes: Buffer, head: SnapshotHead): void {
  const apart = head.stamped !== undefined
  const modRevision = revision(readNumber(bytes, 0))
  const record = copied(bytes, 8)
  const { kind, createRevision, key } = decodeRecord(record)
  if (key.length === 0 || modRevision > head.revision) throw damaged('it has changes that are none')
  tables.log.putSync(copied(bytes, 0, 8), record)
  const live = kind !== deletion
  const [to, from] = live || !apart ? [tables.latest, tables.deleted] : [tables.deleted, tables.latest]
  to.putSync(key, encodeLatest({ modRevision, createRevision, live }))
  if (apart) from.removeSync(key)
}

const copied = (bytes: Buffer, start: number, end = bytes.length): Buffer => Buffer.from(bytes.subarray(start, end))

/** Checks what came before when it comes to the end: who uses a record of a snapshot that was not checked may use one that is damaged. */
function* recordsOf(file: string): Generator<SnapshotRecord, void> {
  const descriptor = openSync(file, 'r')
  try {
    const hash = createHash('sha256')
    const reader = pieceReader(descriptor)
    if (!reader.take(MAGIC.length).equals(MAGIC)) throw damaged('it is none of this program')
    hash.update(MAGIC)
    for (let isFirst = true; ; isFirst = false) {
      const head = Buffer.from(reader.take(HEAD_BYTES))
      const { kind, length } = readRecordHead(head)
      const bytes = reader.take(length)
      if (kind === 'Z') {
        if (!hash.digest().equals(bytes)) throw damaged('its checksum is another')
        if (!reader.isAtEnd()) throw damaged('something stands behind its end')
        return
      }
      if (isFirst !== (kind === 'H') || (kind === 'E' && length < 17) || (kind === 'L' && length < 28)) throw damaged('its records are in disorder')
      hash.update(head).update(bytes)
      yield { kind, bytes }
    }
  } finally {
    closeSync(descriptor)
  }
}

interface PieceReader {
  /** The next bytes, as a view until the next call. Throws BackendError `corrupt` where there are fewer. */
  take(length: number): Buffer
  isAtEnd(): boolean
}

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
