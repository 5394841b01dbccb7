import { BackendError } from '../backend.ts'
import { key as asKey, revision } from '../revision.ts'
import type { Tables } from './environment.ts'
import { encodeLatest, encodeRecord, expiryKey, numberBytes, PUT_RECORD } from './layout.ts'
import { FIRST_REVISION, fillNewStore } from './new-store.ts'
import { keyBytes } from './reader.ts'
import { setMeta } from './tables.ts'

/** Bytes of one commit. */
const COMMIT_BYTES = 8 << 20

/** A value of another store. It keeps its revisions. */
export interface ImportedValue {
  readonly key: string
  readonly value: Buffer
  readonly createRevision: number
  readonly modRevision: number
  /** Expiry time, in milliseconds since 1970. Undefined if the key does not expire. */
  readonly deadline: number | undefined
}

/**
 * Fills a new store with the values of another one. `newest` is the newest revision of that store; older states count
 * as compacted. Returns the number of values. If it fails, the store has no revision and can be filled by another
 * attempt.
 * @throws BackendError `unavailable` if another process holds the directory; `corrupt` if the store has been written
 * to, two values have one revision, or a revision is invalid; `too large` if a key is too long
 */
export async function importValues(dir: string, values: Iterable<ImportedValue>, newest: number): Promise<number> {
  return fillNewStore(dir, tables => fillFromValues(tables, values, newest))
}

/**
 * Writes values to tables of a new store, in commits of some megabytes. The revision is written last, so a failed
 * import leaves a store that counts as new. Throws like `importValues`.
 */
export async function fillFromValues(tables: Tables, values: Iterable<ImportedValue>, newest: number): Promise<number> {
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
        throw new BackendError('corrupt', `${key}: revision ${modRevision} was not written by an API server`)
      seen.add(modRevision)
      const bytesOfKey = keyBytes(asKey(key))
      tables.log.putSync(numberBytes(modRevision), encodeRecord({ kind: PUT_RECORD, createRevision, before: 0 }, bytesOfKey, value))
      tables.latest.putSync(
        bytesOfKey,
        encodeLatest({ modRevision: revision(modRevision), createRevision: revision(createRevision), live: true }),
      )
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
