import { BackendError } from '../backend.ts'
import { key as asKey, revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import { encodeLatest, encodeRecord, expiryKey, numberBytes, put } from './layout.ts'
import { FIRST_REVISION, fillNewStore } from './new-store.ts'
import { keyBytes } from './reader.ts'
import { setMeta } from './tables.ts'

/** One commit holds so many bytes. */
const COMMIT_BYTES = 8 << 20

/** A value of another store, which it takes the place of with its revisions. */
export interface ImportedValue {
  readonly key: string
  readonly value: Buffer
  readonly createRevision: number
  readonly modRevision: number
  /** When it expires, in ms since 1970. */
  readonly deadline: number | undefined
}

/**
 * Fills a new store with the values of another one, whose newest revision is given: older ones count as compacted. Returns how many there were. Where it fails the store is left without a revision, and is filled anew by another try.
 * @throws BackendError `unavailable` where another process holds the directory, `corrupt` where there is a store that has been written to, two values have one revision, or a revision is none; `too large` for a key that does not fit
 */
export async function importValues(dir: string, values: Iterable<ImportedValue>, newest: number): Promise<number> {
  return fillNewStore(dir, tables => fill(tables, values, newest))
}

async function fill(tables: Tables, values: Iterable<ImportedValue>, newest: number): Promise<number> {
  const left = values[Symbol.iterator]()
  const seen = new Set<number>()
  let isDone = false
  const putSome = (): void => {
    for (let bytes = 0; !isDone && bytes < COMMIT_BYTES; ) {
      const { done, value: item } = left.next()
      isDone = done === true
      if (done) break
      const { key, value, createRevision, modRevision, deadline } = item
      if (seen.has(modRevision) || modRevision > newest || !(createRevision >= FIRST_REVISION && createRevision <= modRevision))
        throw new BackendError('corrupt', `${key}: revision ${modRevision} is none that an API server has written`)
      seen.add(modRevision)
      const bytesOfKey = keyBytes(asKey(key))
      tables.log.putSync(numberBytes(modRevision), encodeRecord({ kind: put, createRevision, before: 0 }, bytesOfKey, value))
      tables.latest.putSync(bytesOfKey, encodeLatest({ modRevision: revision(modRevision), createRevision: revision(createRevision), live: true }))
      if (deadline !== undefined) tables.expiry.putSync(expiryKey(deadline, modRevision), bytesOfKey)
      bytes += bytesOfKey.length + value.length
    }
  }
  while (!isDone) await tables.commit(putSome)
  await tables.commit(() => {
    for (const word of ['compacted', 'swept', 'revision'] as const) setMeta(tables, word, Math.max(newest, FIRST_REVISION))
  })
  return seen.size
}
