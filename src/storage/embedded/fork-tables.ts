import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import { BackendError, type ForkOptions } from '../backend.ts'
import type { Key, Revision } from '../revision.ts'
import type { Range, Table, Tables } from './environment.ts'
import {
  copyOf,
  DELETION_RECORD,
  decodeKey,
  decodeLatest,
  decodeRecord,
  encodeLatest,
  numberBytes,
  readNumber,
  readRevision,
} from './layout.ts'
import { type MemoryTables, memoryTables } from './memory-tables.ts'
import { boundBytes } from './reader.ts'
import { metaRevision, setMeta } from './tables.ts'

/** Number of rows processed in one slice. */
const SLICE = 1000

interface TableRow {
  readonly key: Buffer
  readonly value: Buffer
}

/**
 * Tables of a fork at a revision. A key is read from the fork's own rows first, and then from the base's rows that have
 * not changed since. Before the base changes a key for the first time, its row is copied into the fork. So the base can
 * compact its history as usual, and only the first change of a key costs a copy. Rows of `own` up to the revision are
 * such copies, and later ones are changes of the fork.
 */
export class ForkTables implements Tables {
  readonly at: Revision
  readonly log: Table
  readonly latest: Table
  readonly deleted: Table
  readonly expiry: Table
  readonly meta: Table
  readonly commit: Tables['commit']
  readonly unmap: Tables['unmap']
  readonly close: Tables['close']
  readonly #base: Tables
  readonly #own: MemoryTables = memoryTables()
  readonly #options: ForkOptions
  #isLost = false

  constructor(base: Tables, at: Revision, options: ForkOptions) {
    const own = this.#own
    this.#base = base
    this.at = at
    this.#options = options
    this.log = {
      getBinaryFast: id => own.log.getBinaryFast(id) ?? (readNumber(id, 0) <= at ? base.log.getBinaryFast(id) : undefined),
      getRange: range => own.log.getRange(range),
      getKeys: range => own.log.getKeys(range),
      putSync: (id, value) => own.log.putSync(id, value),
      removeSync: id => own.log.removeSync(id),
    }
    this.latest = {
      getBinaryFast: id => own.latest.getBinaryFast(id) ?? this.#unchanged(id),
      getRange: range => bounded(merged(own.latest.getRange(withoutLimit(range)), this.#unchangedIn(withoutLimit(range))), range.limit),
      getKeys: range => rowKeys(this.latest.getRange(range)),
      putSync: (id, value) => own.latest.putSync(id, value),
      // If the base has an unchanged row, the fork's deletion stays after its compaction: without it the base's row
      // would reappear.
      removeSync: id => this.#unchanged(id) === undefined && own.latest.removeSync(id),
    }
    // The fork keeps no history, whether or not the base does.
    this.deleted = own.deleted
    this.expiry = own.expiry
    this.meta = own.meta
    this.commit = own.commit
    this.unmap = own.unmap
    this.close = own.close
    own.adopt(() => {
      for (const word of ['revision', 'compacted', 'swept'] as const) setMeta(own, word, at)
      // A watch from the first revision must find its record, even after the base has compacted it.
      this.#copy(numberBytes(at))
    })
  }

  bytes(): number {
    return this.#own.bytes()
  }

  /** Called before the base changes a key. Copies its row. */
  keep(id: Buffer): void {
    const row = this.#unchanged(id)
    if (row !== undefined) this.#put(id, copyOf(row))
  }

  /**
   * Copies the base's rows of `expiry`, and the rows that the base has replaced if it is ahead of the fork. Keys about
   * to expire come first, before the base deletes them. Throws BackendError `compacted`.
   */
  async fill(): Promise<void> {
    const { at } = this
    const base = this.#base
    const own = this.#own
    let start: Buffer | undefined = Buffer.alloc(0)
    while (start !== undefined) {
      const rows: TableRow[] = [...base.expiry.getRange({ ...(start.length > 0 && { start }), limit: SLICE + 1 })]
      const slice = rows.slice(0, SLICE).filter(({ key: id }) => readRevision(id, 8) <= at)
      own.adopt(() => {
        for (const { key: id, value } of slice) own.expiry.putSync(id, copyOf(value))
      })
      start = rows[SLICE]?.key
      if (turnIsSpent()) await nextTurn()
    }
    await this.#lookBack()
  }

  /** Copies what was replaced between the fork's revision and the base's. Later changes are reported through `keep`. */
  async #lookBack(): Promise<void> {
    const { at } = this
    const base = this.#base
    const now = metaRevision(base, 'revision')
    for (let revision = at + 1; revision <= now; revision++) {
      if (turnIsSpent()) await nextTurn()
      const compactRevision = metaRevision(base, 'compacted')
      if (compactRevision > at) throw new BackendError('compacted', `revision ${at} is compacted`, { compactRevision })
      const bytes = base.log.getBinaryFast(numberBytes(revision))
      if (bytes === undefined) continue
      const { before, key: id } = decodeRecord(bytes)
      if (before === 0 || before > at) continue
      this.#putAsOf(copyOf(id), before)
    }
  }

  /** Copies the row of a key at a revision, because the base has changed it since. */
  #putAsOf(id: Buffer, modRevision: Revision): void {
    const bytes = this.#base.log.getBinaryFast(numberBytes(modRevision))
    if (bytes === undefined) return
    const { createRevision, kind } = decodeRecord(bytes)
    this.#put(id, encodeLatest({ modRevision, createRevision, live: kind !== DELETION_RECORD }))
  }

  /**
   * Keeps a row of the base as of the fork, with its record. Above twice its limit the fork is lost: it can no longer
   * be read, and `onLost` is called.
   */
  #put(id: Buffer, row: Buffer): void {
    const own = this.#own
    const options = this.#options
    if (this.#isLost) return
    own.adopt(() => {
      // If the fork has changed the key itself, its history already leads to the record.
      if (own.latest.getBinaryFast(id) === undefined) own.latest.putSync(id, row)
      this.#copy(row.subarray(0, 8))
    })
    if (own.bytes() <= 2 * options.maxBytes) return
    this.#isLost = true
    options.onLost()
  }

  /** Copies a record of the base's log. */
  #copy(id: Buffer): void {
    const record = this.#base.log.getBinaryFast(id)
    if (record !== undefined) this.#own.log.putSync(id, copyOf(record))
  }

  /** Returns the base's row of a key if it has not changed since the fork. The result is a view. */
  #unchanged(id: Buffer): Buffer | undefined {
    const row = this.#base.latest.getBinaryFast(id)
    return row !== undefined && readRevision(row, 0) <= this.at ? row : undefined
  }

  *#unchangedIn(range: Range): Generator<TableRow> {
    for (const { key: id, value } of this.#base.latest.getRange(range))
      if (readRevision(value, 0) <= this.at) yield { key: id, value: copyOf(value) }
  }

  /** Implements `BackendFork.changed`. */
  changed(start: Key): { readonly keys: readonly Key[]; readonly next: Key | undefined } {
    const keys: Key[] = []
    let looked = 0
    for (const { key: id, value } of this.#own.latest.getRange({ ...(start !== '' && { start: boundBytes(start) }) })) {
      if (looked++ === SLICE) return { keys, next: decodeKey(id) }
      if (decodeLatest(value).modRevision > this.at) keys.push(decodeKey(id))
    }
    return { keys, next: undefined }
  }
}

const withoutLimit = ({ start, end }: Range): Range => ({ ...(start && { start }), ...(end && { end }) })

function* bounded(rows: Iterable<TableRow>, limit = Number.POSITIVE_INFINITY): Generator<TableRow> {
  let left = limit
  if (left <= 0) return
  for (const row of rows) {
    yield row
    if (--left <= 0) return
  }
}

function* rowKeys(rows: Iterable<TableRow>): Generator<Buffer> {
  for (const { key: id } of rows) yield id
}

/** Merges rows in key order. If both have a key, the first's row is used. */
function* merged(first: Iterable<TableRow>, second: Iterable<TableRow>): Generator<TableRow> {
  const own = first[Symbol.iterator]()
  let next = own.next()
  for (const row of second) {
    let order = -1
    while (!next.done) {
      order = next.value.key.compare(row.key)
      if (order >= 0) break
      yield next.value
      next = own.next()
    }
    if (next.done || order > 0) yield row
  }
  for (; !next.done; next = own.next()) yield next.value
}
