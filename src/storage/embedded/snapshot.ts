import { createHash } from 'node:crypto'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { BackendError } from '../backend.ts'
import type { Table, Tables } from './environment.ts'
import { HISTORY_FORMAT, numberBytes, PLAIN_FORMAT, readNumber } from './layout.ts'
import { MAGIC, recordHead, type SnapshotHead } from './snapshot-format.ts'
import { metaRevision, stampsSince } from './tables.ts'

/** Target size of a chunk, in bytes. */
const PIECE_BYTES = 256 * 1024

/** The store to stream, and the holds that keep its rows from being removed meanwhile. */
export interface SnapshotSource {
  readonly tables: Tables
  /** Prevents the removal of log records until the function that it resolves with is called. */
  holdLog(): Promise<() => void>
  /** Prevents the expiry of keys until the function that it resolves with is called. */
  holdExpiry(): Promise<() => void>
}

/**
 * Streams the store at its newest revision (`snapshot-format.ts`), in slices while writes continue: records of the log
 * never change, and compaction is held until the end. Expiry is held until the rows of `expiry` are read.
 */
export async function* snapshotOf({ tables, holdLog, holdExpiry }: SnapshotSource, signal: AbortSignal): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes)
    return bytes
  }
  const releaseLog = await holdLog()
  let releaseExpiry: (() => void) | undefined
  try {
    releaseExpiry = await holdExpiry()
    const head = snapshotHead(tables)
    const text = Buffer.from(JSON.stringify(head))
    yield hashed(Buffer.concat([MAGIC, recordHead('H', text.length), text]))
    const since = ({ key }: SnapshotRow): boolean => readNumber(key, 8) <= head.revision
    for await (const piece of piecesOf(tables.expiry, 'E', since, signal)) yield hashed(piece)
    releaseExpiry()
    releaseExpiry = undefined
    const end = numberBytes(head.revision + 1)
    for await (const piece of piecesOf(tables.log, 'L', ({ key }) => key.compare(end) < 0, signal, end)) yield hashed(piece)
    yield Buffer.concat([recordHead('Z', 32), hash.digest()])
  } finally {
    releaseExpiry?.()
    releaseLog()
  }
}

/** Read before any row. Rows that are written later are left out, by the revision that is read here. */
function snapshotHead(tables: Tables): SnapshotHead {
  const since = stampsSince(tables)
  return {
    format: since === undefined ? PLAIN_FORMAT : HISTORY_FORMAT,
    revision: metaRevision(tables, 'revision'),
    compacted: metaRevision(tables, 'compacted'),
    swept: metaRevision(tables, 'swept'),
    ...(since && { stamped: since.first, stampedAt: since.time }),
  }
}

interface SnapshotRow {
  readonly key: Buffer
  readonly value: Buffer
}

/** Streams the rows of a table for which `isTaken` returns true, up to `end`. Throws BackendError `aborted`. */
async function* piecesOf(
  table: Table,
  kind: 'E' | 'L',
  isTaken: (row: SnapshotRow) => boolean,
  signal: AbortSignal,
  end?: Buffer,
): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = numberBytes(0)
  while (start !== undefined) {
    if (signal.aborted) throw new BackendError('aborted', 'the snapshot was aborted', { cause: signal.reason })
    const parts: Buffer[] = []
    let next: Buffer | undefined
    let bytes = 0
    for (const row of table.getRange({ start, ...(end && { end }) })) {
      if (bytes >= PIECE_BYTES || (bytes > 0 && turnIsSpent())) {
        next = row.key
        break
      }
      if (!isTaken(row)) continue
      const { key, value } = row
      const length = key.length + value.length
      // Copied, because rows are views.
      parts.push(Buffer.concat([recordHead(kind, length), key, value]))
      bytes += length
    }
    if (parts.length > 0) yield Buffer.concat(parts)
    start = next
    await nextTurn()
  }
}
