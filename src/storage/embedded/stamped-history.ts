import { invariant } from '../../lib/invariant.ts'
import { BackendError } from '../backend.ts'
import { type Key, later, NO_REVISION, type Revision, revision, revisionBefore } from '../revision.ts'
import type { ChangesQuery, KeyChange, KeyChanges, Moment, StoreHistory } from '../store-history.ts'
import type { Compactor } from './compactor.ts'
import type { Tables } from './environment.ts'
import { copyOf, DELETION_RECORD, decodeRecord, type LogRecord, numberBytes } from './layout.ts'
import { keyBytes, newestOf } from './reader.ts'
import { metaRevision, stampsSince } from './tables.ts'

/**
 * Fraction of the byte limit to which history is reduced if it exceeds the limit. Without slack, the next change would
 * exceed it again.
 */
const LEFT = 0.9

/** History of a store whose changes have stamps. */
export class StampedHistory implements StoreHistory {
  readonly #tables: Tables
  readonly #compactor: Compactor
  readonly #admit: (signal?: AbortSignal) => void

  /** `admit` throws if the store is closed or the signal aborted. */
  constructor(tables: Tables, compactor: Compactor, admit: (signal?: AbortSignal) => void) {
    this.#tables = tables
    this.#compactor = compactor
    this.#admit = admit
  }

  oldest(): Moment {
    this.#admit()
    const oldest = this.#oldestRevision()
    return { revision: oldest, time: this.#timeAt(oldest) }
  }

  momentAt(time: number): Moment | undefined {
    this.#admit()
    const found = this.#last(revision => this.#timeAt(revision) <= time)
    return found && { revision: found, time: this.#timeAt(found) }
  }

  timeOf(revision: Revision): number | undefined {
    this.#admit()
    this.#mustBeKept(revision)
    return revision < this.#since().first ? undefined : this.#timeAt(revision)
  }

  /** Follows the key's own chain of changes backwards, so that other keys cost nothing. */
  async changes(key: Key, { from, at, limit, bytes }: ChangesQuery, signal: AbortSignal): Promise<KeyChanges> {
    this.#admit(signal)
    if (at !== undefined) this.#mustBeKept(at)
    const name = keyBytes(key)
    const oldest = this.#compactor.compacted()
    if (from !== undefined && from < oldest && !this.#isFirstOf(name, from))
      throw new BackendError('compacted', `revision ${from} is compacted`, { compactRevision: oldest })
    const changes: KeyChange[] = []
    let next = from ?? this.#lastOf(name, at ?? this.#newest())
    for (let left = bytes; next !== NO_REVISION && changes.length < limit && left > 0; ) {
      const record = this.#record(next)
      // A change before the oldest state is reported only if it created a part of that state, which a deletion did not.
      if (record === undefined || !record.key.equals(name) || (next < oldest && record.kind === DELETION_RECORD))
        return { changes, next: NO_REVISION }
      changes.push(keyChange(next, record))
      left -= record.value.length
      next = next <= oldest ? NO_REVISION : record.before
    }
    return { changes, next: next !== NO_REVISION && this.#hasOlder(next, oldest) ? next : NO_REVISION }
  }

  size(): { readonly revisions: number; readonly bytes: number } {
    this.#admit()
    const [oldest, newest] = [this.#oldestRevision(), this.#newest()]
    return { revisions: newest - oldest + 1, bytes: Math.max(0, this.#bytesAt(newest) - this.#bytesAt(oldest)) }
  }

  /** Compacts up to the last state at `since`, or further if history exceeds the bytes. */
  async retain(since: number, mostBytes: number): Promise<Revision> {
    this.#admit()
    const newest = this.#newest()
    let until = this.#last(revision => this.#timeAt(revision) <= since) ?? this.#compactor.compacted()
    if (this.size().bytes > mostBytes) {
      const enough = this.#bytesAt(newest) - mostBytes * LEFT
      const tooFew = this.#last(revision => this.#bytesAt(revision) < enough)
      until = later(until, revision(Math.min(newest, (tooFew ?? this.#oldestRevision()) + 1)))
    }
    await this.#compactor.compact(until)
    return this.#compactor.compacted()
  }

  /** Returns the oldest revision that can be read and has a time. */
  #oldestRevision(): Revision {
    return later(this.#compactor.compacted(), revisionBefore(this.#since().first))
  }

  #newest(): Revision {
    return metaRevision(this.#tables, 'revision')
  }

  /** First stamped revision, and the time at which stamps began. */
  #since(): { readonly first: Revision; readonly time: number } {
    const since = stampsSince(this.#tables)
    invariant(since, 'the store keeps history')
    return since
  }

  #record(revision: Revision): LogRecord | undefined {
    const bytes = this.#tables.log.getBinaryFast(numberBytes(revision))
    return bytes && decodeRecord(bytes)
  }

  /** Returns the time of a revision. One before the first stamp has the time at which stamps began. */
  #timeAt(revision: Revision): number {
    const since = this.#since()
    return revision < since.first ? since.time : (this.#record(revision)?.stamp?.time ?? since.time)
  }

  /** Returns the bytes of all changes up to a revision. Those of a range are a difference of two. */
  #bytesAt(revision: Revision): number {
    return revision < this.#since().first ? 0 : (this.#record(revision)?.stamp?.bytes ?? 0)
  }

  /** Returns the last state for which a condition holds that holds for all states before it, by binary search. */
  #last(holds: (revision: Revision) => boolean): Revision | undefined {
    let low = this.#oldestRevision()
    let high = this.#newest()
    if (!holds(low)) return undefined
    while (low < high) {
      const middle = revision(Math.ceil((low + high) / 2))
      if (holds(middle)) low = middle
      else high = revisionBefore(middle)
    }
    return low
  }

  /** Whether a page would have the change at `next`. */
  #hasOlder(next: Revision, oldest: Revision): boolean {
    const record = this.#record(next)
    return record !== undefined && (next >= oldest || record.kind !== DELETION_RECORD)
  }

  /** Whether a change before the oldest state is the one that wrote the key's value in it. */
  #isFirstOf(name: Buffer, from: Revision): boolean {
    if (!this.#record(from)?.key.equals(name)) return false
    return this.#lastOf(name, this.#compactor.compacted()) === from
  }

  /** Returns the last change of a key up to a revision; 0 if there is none. */
  #lastOf(name: Buffer, at: Revision): Revision {
    let last = newestOf(this.#tables, name)?.modRevision ?? NO_REVISION
    while (last > at) {
      const { stamp, before } = this.#record(last) ?? {}
      last = stamp !== undefined && stamp.jump > at ? stamp.jump : (before ?? NO_REVISION)
    }
    return last
  }

  /** Throws BackendError `future` or `compacted`. */
  #mustBeKept(revision: Revision): void {
    const newest = this.#newest()
    if (revision > newest) throw new BackendError('future', `revision ${revision} is later than the newest, ${newest}`)
    const compactRevision = this.#compactor.compacted()
    if (revision < compactRevision) throw new BackendError('compacted', `revision ${revision} is compacted`, { compactRevision })
  }
}

const keyChange = (revision: Revision, record: LogRecord): KeyChange => ({
  type: record.kind === DELETION_RECORD ? 'deleted' : record.createRevision === revision ? 'created' : 'updated',
  revision,
  time: record.stamp?.time,
  ...(record.kind !== DELETION_RECORD && { value: copyOf(record.value) }),
})
