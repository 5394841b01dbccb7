import type { Backend, GuardedWrite } from '../storage/backend.ts'
import { decodeKey, decodeLatest, type LatestEntry, readNumber, readRevision } from '../storage/embedded/layout.ts'
import type { MemoryTables } from '../storage/embedded/memory-tables.ts'
import { changeAt } from '../storage/embedded/reader.ts'

/** Content of a store at some time. */
export interface StoreState {
  readonly tables: MemoryTables
  /** Time of the content, in milliseconds since the epoch. */
  readonly at: number
}

/**
 * Maximum number of passes. Others may write during a restore, and controllers react to it; each pass compares again.
 */
const MOST_PASSES = 20

/**
 * Writes to the backend all differences between its tables (`now`) and the kept ones. Each change has its own revision,
 * so that watches observe all of them. Objects with a TTL keep their remaining time. Throws an Error if others keep
 * writing.
 */
export async function restoreTables(backend: Backend, now: MemoryTables, kept: StoreState): Promise<void> {
  const { signal } = new AbortController()
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const writes = differences(now, kept)
    if (writes.length === 0) return
    await Promise.all(writes.map(write => backend.write(write, signal)))
  }
  throw new Error('cannot restore the control plane: others keep writing to it')
}

/**
 * Writes that turn the current tables into the kept ones. Each expects the current revision, so that concurrent writes
 * are detected.
 */
function differences(now: MemoryTables, { tables: then, at }: StoreState): GuardedWrite[] {
  const writes: GuardedWrite[] = []
  const secondsLeft = timesToLive(then, at)
  const compare = (id: Buffer, present: LatestEntry | undefined, past: LatestEntry | undefined): void => {
    if (present?.modRevision === past?.modRevision || (!present?.live && !past?.live)) return
    const key = decodeKey(id)
    const value = past?.live ? changeAt(then, key, past.modRevision)?.value : undefined
    if (value && present?.live && changeAt(now, key, present.modRevision)?.value.equals(value)) return
    const ttlSeconds = past && secondsLeft.get(past.modRevision)
    writes.push({ key, expected: present?.live ? present.modRevision : 0, ...(value && { value }), ...(ttlSeconds && { ttlSeconds }) })
  }
  for (const { key: id, value } of now.latest.getRange({})) {
    const past = then.latest.getBinaryFast(id)
    compare(id, decodeLatest(value), past && decodeLatest(past))
  }
  for (const { key: id, value } of then.latest.getRange({}))
    if (now.latest.getBinaryFast(id) === undefined) compare(id, undefined, decodeLatest(value))
  return writes
}

/** Remaining TTLs in seconds, by the revision that set them. */
function timesToLive(tables: MemoryTables, at: number): Map<number, number> {
  const left = new Map<number, number>()
  for (const id of tables.expiry.getKeys({})) left.set(readRevision(id, 8), Math.max(1, Math.ceil((readNumber(id, 0) - at) / 1000)))
  return left
}
