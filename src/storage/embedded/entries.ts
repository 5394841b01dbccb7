import type { Revision } from '../revision.ts'
import type { Range, Tables } from './environment.ts'
import { copyOf, DELETION_RECORD, decodeLatest, decodeRecord, type LatestEntry, numberBytes } from './layout.ts'
import { latestOf, newestOf } from './reader.ts'
import { metaRevision, stampsSince } from './tables.ts'

/** A key and its newest change. */
export interface KeyEntry {
  readonly key: Buffer
  readonly entry: LatestEntry
}

/**
 * The newest change of each key, for reading one revision in slices. A store that keeps history has deleted keys in a
 * table of their own: a read of an older revision includes all of them, and a read of the present one includes those
 * deleted since it began.
 */
export class Entries {
  readonly #tables: Tables
  readonly #readsOlder: boolean
  /** Keys deleted since the read began and not reached yet, in key order. */
  #gone: readonly Buffer[] = []
  /** Deletions up to this revision are in `#gone`. Undefined if they need not be tracked. */
  #seen: Revision | undefined

  /** `at` is the revision to read, `now` the newest one. */
  constructor(tables: Tables, at: Revision, now: Revision) {
    this.#tables = tables
    const apart = stampsSince(tables) !== undefined
    this.#readsOlder = apart && at < now
    this.#seen = apart && at === now ? now : undefined
  }

  /** Returns the entries of a range in key order. They must be read within a turn. */
  in(range: Range): Iterable<KeyEntry> {
    const present = decodeEntries(this.#tables.latest.getRange(range))
    if (this.#readsOlder) return merged(present, decodeEntries(this.#tables.deleted.getRange(range)))
    this.#lookForDeletions(range)
    return this.#gone.length === 0 ? present : merged(present, this.#goneEntries())
  }

  /**
   * Collects the keys that were deleted since the last look, from the log, and forgets those before the range: entries
   * are read in key order, page by page.
   */
  #lookForDeletions({ start, end }: Range): void {
    const isAhead = (key: Buffer): boolean =>
      (start === undefined || key.compare(start) >= 0) && (end === undefined || key.compare(end) < 0)
    this.#gone = this.#gone.filter(isAhead)
    const newest = metaRevision(this.#tables, 'revision')
    if (this.#seen === undefined || newest === this.#seen) return
    const found = new Map(this.#gone.map(key => [key.toString('latin1'), key]))
    for (let revision: number = this.#seen + 1; revision <= newest; revision++) {
      const bytes = this.#tables.log.getBinaryFast(numberBytes(revision))
      if (bytes === undefined) continue
      const { kind, key } = decodeRecord(bytes)
      if (kind === DELETION_RECORD && isAhead(key)) found.set(key.toString('latin1'), copyOf(key))
    }
    this.#gone = [...found.values()].sort(Buffer.compare)
    this.#seen = newest
  }

  *#goneEntries(): Generator<KeyEntry> {
    for (const key of this.#gone) {
      // A key that was created again is in `latest`.
      const entry = latestOf(this.#tables, key) === undefined ? newestOf(this.#tables, key) : undefined
      if (entry !== undefined) yield { key, entry }
    }
  }
}

/** Decodes each row before the next one is read, because rows are views. */
function* decodeEntries(rows: Iterable<{ readonly key: Buffer; readonly value: Buffer }>): Generator<KeyEntry> {
  for (const { key, value } of rows) yield { key, entry: decodeLatest(value) }
}

/** Merges two ordered sequences without common keys. */
function* merged(a: Iterable<KeyEntry>, b: Iterable<KeyEntry>): Generator<KeyEntry> {
  const others = b[Symbol.iterator]()
  let other = others.next()
  for (const each of a) {
    for (; other.done !== true && other.value.key.compare(each.key) < 0; other = others.next()) yield other.value
    yield each
  }
  for (; other.done !== true; other = others.next()) yield other.value
}
