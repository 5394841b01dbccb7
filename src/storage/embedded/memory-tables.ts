import sortedBtree from 'sorted-btree'
import { compareUnits } from '../../lib/compare-text.ts'
import { nextTurn } from '../../lib/turn.ts'
import { BackendError } from '../backend.ts'
import type { Range, Table, Tables } from './environment.ts'
import { copyOf, numberBytes, PLAIN_FORMAT } from './layout.ts'
import { putStampsSince, stampsSince } from './tables.ts'

// The package is CommonJS. Its default import is the exports object in Node and esbuild, and the class itself in tsx.
const BTree = 'default' in sortedBtree ? sortedBtree.default : sortedBtree

/**
 * Encodes keys as Latin-1, one character per byte. The order of such strings is that of the bytes, and they take less
 * memory than buffers.
 */
const keyText = (bytes: Buffer): string => bytes.toString('latin1')
const keyBytes = (text: string): Buffer => Buffer.from(text, 'latin1')

type Tree = InstanceType<typeof BTree<string, Buffer>>

/** Restores what a change has replaced. */
type Undo = () => void

/** Copies a value if its buffer would retain other memory. */
const kept = (value: Buffer): Buffer => (value.length === value.buffer.byteLength ? value : copyOf(value))

/** One table, ordered by key. */
class MemoryTable implements Table {
  readonly #rows: Tree
  readonly #undo: Undo[]
  /** Total bytes of keys and values. */
  bytes: number

  /** `undo` collects functions that revert changes, to be called last first. `origin` provides the initial rows. */
  constructor(undo: Undo[], origin?: MemoryTable) {
    this.#undo = undo
    // A clone shares tree nodes until one of the two changes them.
    this.#rows = origin ? origin.#rows.clone() : new BTree<string, Buffer>(undefined, compareUnits)
    this.bytes = origin?.bytes ?? 0
  }

  getBinaryFast(id: Buffer): Buffer | undefined {
    return this.#rows.get(keyText(id))
  }

  *getRange({ start, end, limit = Number.POSITIVE_INFINITY }: Range = {}): Generator<{ key: Buffer; value: Buffer }> {
    const last = end && keyText(end)
    let left = limit
    for (const [key, value] of this.#rows.entries(start && keyText(start))) {
      if (left-- <= 0 || (last !== undefined && key >= last)) return
      yield { key: keyBytes(key), value }
    }
  }

  *getKeys(range: Range = {}): Generator<Buffer> {
    for (const { key } of this.getRange(range)) yield key
  }

  putSync(id: Buffer, value: Buffer): void {
    this.#set(keyText(id), kept(value))
  }

  removeSync(id: Buffer): void {
    this.#set(keyText(id), undefined)
  }

  #set(key: string, value: Buffer | undefined): void {
    const before = this.#rows.get(key)
    this.#replace(key, before, value)
    this.#undo.push(() => this.#replace(key, value, before))
  }

  #replace(key: string, before: Buffer | undefined, value: Buffer | undefined): void {
    if (value === undefined) this.#rows.delete(key)
    else this.#rows.set(key, value)
    this.bytes += (value === undefined ? 0 : key.length + value.length) - (before === undefined ? 0 : key.length + before.length)
  }
}

/** Tables in memory, which exist only as long as this process. */
export interface MemoryTables extends Tables {
  /** Returns the total bytes of all keys and values. */
  bytes(): number
  /**
   * Returns an independent copy of the tables, which may be open or closed. Takes microseconds, whatever their size:
   * the copies share what neither has changed.
   */
  fork(): MemoryTables
  /**
   * Stamps changes from now on. `now` is in milliseconds since 1970. To be called before a store is opened on the
   * tables.
   */
  keepHistory(now: number): void
  /** Runs a change outside of commits: a failed commit does not revert it. */
  adopt(change: () => void): void
}

/** The tables of a store. */
interface Rows {
  readonly log: MemoryTable
  readonly latest: MemoryTable
  readonly deleted: MemoryTable
  readonly expiry: MemoryTable
  readonly meta: MemoryTable
}

/** Creates empty tables, with the `meta` of a new store. */
export function memoryTables(): MemoryTables {
  const meta = new MemoryTable([])
  for (const [word, value] of Object.entries({ format: PLAIN_FORMAT, revision: 1, compacted: 0, swept: 0 }))
    meta.putSync(Buffer.from(word), numberBytes(value))
  return tablesOf({ meta })
}

/** Creates tables on top of the rows of others, which are not modified. */
function tablesOf(origin: Partial<Rows>): MemoryTables {
  const undo: Undo[] = []
  const [log, latest, deleted, expiry, meta] = [
    new MemoryTable(undo, origin.log),
    new MemoryTable(undo, origin.latest),
    new MemoryTable(undo, origin.deleted),
    new MemoryTable(undo, origin.expiry),
    new MemoryTable(undo, origin.meta),
  ]
  let closed = false
  return {
    log,
    latest,
    deleted,
    expiry,
    meta,
    bytes: () => log.bytes + latest.bytes + deleted.bytes + expiry.bytes + meta.bytes,
    fork: () => tablesOf({ log, latest, deleted, expiry, meta }),
    adopt(change) {
      change()
      // Commits run in one step, so none is in progress.
      undo.length = 0
    },
    keepHistory(now) {
      if (stampsSince({ meta }) === undefined) putStampsSince({ meta }, now)
      undo.length = 0
    },
    async commit(change) {
      // As on disk, the writes of one turn form one commit, and writers yield to the event loop.
      await nextTurn()
      if (closed) throw new BackendError('unavailable', 'the store is closed')
      try {
        return change()
      } catch (error) {
        for (const back of undo.toReversed()) back()
        throw error
      } finally {
        undo.length = 0
      }
    },
    async unmap() {},
    async close() {
      closed = true
    },
  }
}
