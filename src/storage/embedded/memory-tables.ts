import sortedBtree from 'sorted-btree'
import { compareUnits } from '../../lib/compare-text.ts'
import { nextTurn } from '../../lib/turn.ts'
import { BackendError } from '../backend.ts'
import type { Range, Table, Tables } from './environment.ts'
import { copyOf, numberBytes, plainFormat } from './layout.ts'
import { putStampsSince, stampsSince } from './tables.ts'

// The package is CommonJS: Node and esbuild give its exports, tsx the class itself.
const BTree = 'default' in sortedBtree ? sortedBtree.default : sortedBtree

/** Keys as Latin-1, one character a byte: the order of such texts is that of the bytes, and they take less than buffers. */
const textOf = (bytes: Buffer): string => bytes.toString('latin1')
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

type Tree = InstanceType<typeof BTree<string, Buffer>>

/** Puts back what a change has replaced. */
type Undo = () => void

/** What is stored pins only itself. */
const kept = (value: Buffer): Buffer => (value.length === value.buffer.byteLength ? value : copyOf(value))

/** One table, in the order of its keys. */
class MemoryTable implements Table {
  readonly #rows: Tree
  readonly #undo: Undo[]
  /** Bytes of keys and values. */
  bytes: number

  /** `undo`: filled with what takes back each change, last first to be called. `origin`: what it begins with. */
  constructor(undo: Undo[], origin?: MemoryTable) {
    this.#undo = undo
    // A clone shares the nodes of the tree until one of the two changes them.
    this.#rows = origin ? origin.#rows.clone() : new BTree<string, Buffer>(undefined, compareUnits)
    this.bytes = origin?.bytes ?? 0
  }

  getBinaryFast(id: Buffer): Buffer | undefined {
    return this.#rows.get(textOf(id))
  }

  *getRange({ start, end, limit = Number.POSITIVE_INFINITY }: Range = {}): Generator<{ key: Buffer; value: Buffer }> {
    const last = end && textOf(end)
    let left = limit
    for (const [key, value] of this.#rows.entries(start && textOf(start))) {
      if (left-- <= 0 || (last !== undefined && key >= last)) return
      yield { key: bytesOf(key), value }
    }
  }

  *getKeys(range: Range = {}): Generator<Buffer> {
    for (const { key } of this.getRange(range)) yield key
  }

  putSync(id: Buffer, value: Buffer): void {
    this.#set(textOf(id), kept(value))
  }

  removeSync(id: Buffer): void {
    this.#set(textOf(id), undefined)
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

/** The tables of a store that lives as long as this process: nothing of it is on a disk. */
export interface MemoryTables extends Tables {
  /** Bytes of all keys and values. */
  bytes(): number
  /** Tables with the same rows, which change apart from these, of open tables or closed ones. Takes microseconds, whatever they hold: the two share what neither has changed since. */
  fork(): MemoryTables
  /** Changes are stamped from now on, the time given in ms since 1970. Before a store is opened on them. */
  keepHistory(now: number): void
  /** Runs a change beside the commits: no commit that fails takes it back. */
  adopt(change: () => void): void
}

interface Rows {
  readonly log: MemoryTable
  readonly latest: MemoryTable
  readonly deleted: MemoryTable
  readonly expiry: MemoryTable
  readonly meta: MemoryTable
}

/** Empty tables, with what a new store has in `meta`. */
export function memoryTables(): MemoryTables {
  const meta = new MemoryTable([])
  for (const [word, value] of Object.entries({ format: plainFormat, revision: 1, compacted: 0, swept: 0 })) meta.putSync(Buffer.from(word), numberBytes(value))
  return tablesOf({ meta })
}

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
      // Commits run in one step: none is under way.
      undo.length = 0
    },
    keepHistory(now) {
      if (stampsSince({ meta }) === undefined) putStampsSince({ meta }, now)
      undo.length = 0
    },
    async commit(change) {
      // As with a disk, what comes in one turn is one commit, and writers leave the event loop to others.
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
