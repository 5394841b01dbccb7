import { syncDirectory } from '../../lib/private-file.ts'
import { BackendError } from '../backend.ts'
import { type Revision, revision } from '../revision.ts'
import { openEnvironment, type Tables } from './environment.ts'
import { formatVersion, numberBytes, readNumber } from './layout.ts'

export type MetaWord = 'format' | 'revision' | 'compacted' | 'swept'

const words: Record<MetaWord, Buffer> = {
  format: Buffer.from('format'),
  revision: Buffer.from('revision'),
  compacted: Buffer.from('compacted'),
  swept: Buffer.from('swept'),
}

/** Undefined in a directory that is being opened for the first time. */
function metaNumber(tables: Pick<Tables, 'meta'>, word: MetaWord): number | undefined {
  const bytes = tables.meta.getBinaryFast(words[word])
  return bytes && readNumber(bytes, 0)
}

/** A revision of `meta`: the newest, the oldest that can be read, or how far the sweep of older history has come. Every open store has them. */
export const metaRevision = (tables: Pick<Tables, 'meta'>, word: Exclude<MetaWord, 'format'>): Revision => revision(metaNumber(tables, word) ?? 0)

/** Only inside `commit`. */
export function setMeta(tables: Tables, word: MetaWord, value: number): void {
  tables.meta.putSync(words[word], numberBytes(value))
}

/**
 * Opens the directory's tables, and creates them in an empty one.
 * @throws BackendError `corrupt` where the directory holds something else, or a format newer than this program's.
 */
export async function openTables(dir: string): Promise<Tables> {
  const tables = await openEnvironment(dir)
  const format = metaNumber(tables, 'format')
  if (format !== undefined && format > formatVersion) {
    await tables.close()
    throw new BackendError('corrupt', `the store in ${dir} has format ${format}, which is newer than format ${formatVersion} of this program`)
  }
  if (format === undefined) {
    // etcd's revision before the first write is 1 too.
    await tables.commit(() => {
      setMeta(tables, 'format', formatVersion)
      setMeta(tables, 'revision', 1)
      setMeta(tables, 'compacted', 0)
      setMeta(tables, 'swept', 0)
    })
    syncDirectory(dir)
  }
  return tables
}
