import { syncDirectory } from '../../lib/private-file.ts'
import { BackendError } from '../backend.ts'
import { type Revision, revision } from '../revision.ts'
import { openEnvironment, type Tables } from './environment.ts'
import { CHECKED_FORMAT, HISTORY_FORMAT, numberBytes, readNumber } from './layout.ts'
import { CHECKED_WORD, FORMAT_WORD } from './row-checksum.ts'

/**
 * `stamped`: the first revision with a stamp, which may be the next one; `stampedAt`: when stamps began, in
 * milliseconds since 1970. Both are absent in a store that has never kept history. `checked`: 1 if every row has a
 * checksum, absent otherwise.
 */
export type MetaWord = 'format' | 'revision' | 'compacted' | 'swept' | 'stamped' | 'stampedAt' | 'checked'

const words: Record<MetaWord, Buffer> = {
  format: FORMAT_WORD,
  revision: Buffer.from('revision'),
  compacted: Buffer.from('compacted'),
  swept: Buffer.from('swept'),
  stamped: Buffer.from('stamped'),
  stampedAt: Buffer.from('stampedAt'),
  checked: CHECKED_WORD,
}

/** Reads a number of `meta`. Undefined in a directory that is being opened for the first time. */
function metaNumber(tables: Pick<Tables, 'meta'>, word: MetaWord): number | undefined {
  const bytes = tables.meta.getBinaryFast(words[word])
  return bytes && readNumber(bytes, 0)
}

/**
 * Reads a revision of `meta`: the newest, the oldest that can be read, or the progress of the sweep of older history.
 * Every open store has them.
 */
export const metaRevision = (tables: Pick<Tables, 'meta'>, word: 'revision' | 'compacted' | 'swept'): Revision =>
  revision(metaNumber(tables, word) ?? 0)

/** Returns the first revision with a stamp, and when stamps began; undefined if changes have none. */
export function stampsSince(tables: Pick<Tables, 'meta'>): { readonly first: Revision; readonly time: number } | undefined {
  const first = metaNumber(tables, 'stamped')
  return first === undefined ? undefined : { first: revision(first), time: metaNumber(tables, 'stampedAt') ?? 0 }
}

/** Raises the format of the store to at least this one. Only inside `commit`. */
export function raiseFormat(tables: Pick<Tables, 'meta'>, format: number): void {
  if ((metaNumber(tables, 'format') ?? 0) < format) setMeta(tables, 'format', format)
}

/** Starts to stamp changes, and raises the format accordingly. Only inside `commit`. */
export function putStampsSince(tables: Pick<Tables, 'meta'>, time: number): void {
  raiseFormat(tables, HISTORY_FORMAT)
  setMeta(tables, 'stamped', metaRevision(tables, 'revision') + 1)
  setMeta(tables, 'stampedAt', time)
}

/** Writes a number of `meta`. Only inside `commit`. */
export function setMeta(tables: Pick<Tables, 'meta'>, word: MetaWord, value: number): void {
  tables.meta.putSync(words[word], numberBytes(value))
}

/**
 * Opens the tables of a directory, and creates them if it is empty.
 * @throws BackendError `corrupt` if the directory holds something else, or its format is newer than this program's
 */
export async function openTables(dir: string): Promise<Tables> {
  const tables = await openEnvironment(dir)
  const format = metaNumber(tables, 'format')
  if (format !== undefined && format > CHECKED_FORMAT) {
    await tables.close()
    throw new BackendError(
      'corrupt',
      `the store in ${dir} has format ${format}, which is newer than format ${CHECKED_FORMAT} of this program`,
    )
  }
  if (format === undefined) {
    // The revision of etcd before the first write is 1, too.
    await tables.commit(() => {
      setMeta(tables, 'format', CHECKED_FORMAT)
      setMeta(tables, 'checked', 1)
      setMeta(tables, 'revision', 1)
      setMeta(tables, 'compacted', 0)
      setMeta(tables, 'swept', 0)
    })
    syncDirectory(dir)
  }
  return tables
}

/**
 * Opens tables like `openTables`, for writing. Raises the format, because written rows have checksums, which programs
 * for formats 1 and 2 cannot read.
 */
export async function openTablesToWrite(dir: string): Promise<Tables> {
  const tables = await openTables(dir)
  if (metaNumber(tables, 'format') !== CHECKED_FORMAT) await tables.commit(() => raiseFormat(tables, CHECKED_FORMAT))
  return tables
}
