import { whileLocked } from './directory-lock.ts'
import type { Tables } from './environment.ts'
import { inspectDataFile, requireDataFile } from './inspect.ts'
import { copyOf, decodeRecord, numberBytes, PUT_RECORD, readNumber } from './layout.ts'
import { latestOf } from './reader.ts'
import { metaRevision, openTables } from './tables.ts'

/** The newest value of a key. */
export interface LatestValue {
  readonly key: Buffer
  readonly value: Buffer
  readonly createRevision: number
  readonly modRevision: number
  /** Expiry time, in milliseconds since 1970. Undefined if the key does not expire. */
  readonly deadline: number | undefined
}

/** Number of changes read at a time. */
const PAGE = 256
/** Bytes of the file that may stay mapped, which counts as memory of the process. */
const MAPPED_BYTES = 64 << 20

/**
 * Reads a store that no server uses: the newest value of each key, ordered by mod revision, and the newest revision.
 * @throws BackendError `unavailable` if there is no store, or another process holds the directory
 */
export async function withLatestValues<T>(
  dir: string,
  read: (values: AsyncIterable<LatestValue>, newest: number) => Promise<T>,
): Promise<T> {
  requireDataFile(dir)
  return whileLocked(dir, async () => {
    inspectDataFile(dir)
    const tables = await openTables(dir)
    try {
      return await read(latestValues(tables), metaRevision(tables, 'revision'))
    } finally {
      await tables.close()
    }
  })
}

/**
 * Yields the newest value of every key, in the order of their revisions. The file is unmapped after some megabytes, so
 * that memory does not grow with the store.
 */
async function* latestValues(tables: Tables): AsyncGenerator<LatestValue> {
  const deadlines = new Map<number, number>()
  for (const { key } of tables.expiry.getRange({})) deadlines.set(readNumber(key, 8), readNumber(key, 0))
  let bytes = 0
  for (let next = 0; ; ) {
    const page: LatestValue[] = []
    let seen = 0
    for (const { key: id, value: row } of tables.log.getRange({ start: numberBytes(next), limit: PAGE })) {
      seen++
      bytes += row.length
      const modRevision = readNumber(id, 0)
      next = modRevision + 1
      const record = decodeRecord(copyOf(row))
      if (record.kind !== PUT_RECORD || latestOf(tables, record.key)?.modRevision !== modRevision) continue
      page.push({
        key: record.key,
        value: record.value,
        createRevision: record.createRevision,
        modRevision,
        deadline: deadlines.get(modRevision),
      })
    }
    yield* page
    if (seen < PAGE) return
    if (bytes < MAPPED_BYTES) continue
    await tables.unmap()
    bytes = 0
  }
}
