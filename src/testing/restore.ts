import type { Backend, GuardedWrite } from '../storage/backend.ts'
import { decodeLatest, keyOf, type LatestEntry, readNumber, readRevision } from '../storage/embedded/layout.ts'
import type { MemoryTables } from '../storage/embedded/memory-tables.ts'
import { changeAt } from '../storage/embedded/reader.ts'

/** What a store held at a moment. */
export interface Kept {
  readonly tables: MemoryTables
  /** The moment, in milliseconds since the epoch. */
  readonly at: number
}

/** While it is restored, others may write, and controllers react to what is written: then it is compared again. */
const MOST_PASSES = 20

/**
 * Writes to the backend, whose tables are `now`, what differs from what was kept. Each change has a revision of its own, so that watches see all of them. What had a time to live has as much left as it had then. Throws an
 * Error where others keep on writing.
 */
export async function restoreTables(backend: Backend, now: MemoryTables, kept: Kept): Promise<void> {
  const { signal } = new AbortController()
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const writes = differences(now, kept)
    if (writes.length === 0) return
    await Promise.all(writes.map(write => backend.write(write, signal)))
  }
  throw new Error('the control plane is not restored: others keep on writing')
}

function differences(now: MemoryTables, { tables: then, at }: Kept): GuardedWrite[] {
  const writes: GuardedWrite[] = []
  const secondsLeft = timesToLive(then, at)
  const compare = (id: Buffer, present: LatestEntry | undefined, past: LatestEntry | undefined): void => {
    if (present?.modRevision === past?.modRevision || (!present?.live && !past?.live)) return
    const key = keyOf(id)
    const value = past?.live ? changeAt(then, key, past.modRevision)?.value : undefined
    if (value && present?.live && changeAt(now, key, present.modRevision)?.value.equals(value)) return
    const ttlSeconds = past && secondsLeft.get(past.modRevision)
    writes.push({ key, expected: present?.live ? present.modRevision : 0, ...(value && { value }), ...(ttlSeconds && { ttlSeconds }) })
  }
  for (const { key: id, value } of now.latest.getRange({})) {
    const past = then.latest.getBinaryFast(id)
    compare(id, decodeLatest(value), past && decodeLatest(past))
  }
  for (const { key: id, value } of then.latest.getRange({})) if (now.latest.getBinaryFast(id) === undefined) compare(id, undefined, decodeLatest(value))
  return writes
}

/** Seconds that were left, by the revision that has set them. */
function timesToLive(tables: MemoryTables, at: number): Map<number, number> {
  const left = new Map<number, number>()
  for (const id of tables.expiry.getKeys({})) left.set(readRevision(id, 8), Math.max(1, Math.ceil((readNumber(id, 0) - at) / 1000)))
  return left
}
