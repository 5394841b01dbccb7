import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, RootDatabase } from 'lmdb'
import { errorMessage } from '../../lib/error-message.ts'
import { syncDirectory } from '../../lib/private-file.ts'
import { BackendError } from '../backend.ts'
import { type Revision, revision } from '../revision.ts'
import { formatVersion, numberBytes, readNumber } from './layout.ts'

export type Table = Database<Buffer, Buffer>
export type MetaWord = 'format' | 'revision' | 'compacted' | 'swept'

/** The open LMDB environment. `layout.ts` says what the tables hold. */
export interface Tables {
  readonly log: Table
  readonly latest: Table
  readonly expiry: Table
  readonly meta: Table
  /**
   * Runs the callback in the one write transaction and resolves once it is committed and on disk. Where the callback throws, nothing of it is kept.
   * Tests put their own in its place to count commits or to let one fail.
   */
  commit<T>(change: () => T): Promise<T>
  close(): Promise<void>
}

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
 * Opens the directory's tables, and creates them in an empty one. Commits wait for the disk (`overlappingSync: false`): a commit that resolves is durable.
 * @throws BackendError `corrupt` where the directory holds something else, or a format newer than this program's.
 */
export async function openTables(dir: string): Promise<Tables> {
  const { open } = await import('lmdb')
  const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const
  let root: RootDatabase<Buffer, Buffer>
  let tables: Tables
  try {
    // Known to the package, not to its types; what is stored is for its owner only, whoever made the directory.
    const options = { path: dir, maxDbs: 8, overlappingSync: false, eventTurnBatching: false, permissionsMode: 0o600, ...binary }
    root = open<Buffer, Buffer>(options)
    const table = (name: string): Table => root.openDB<Buffer, Buffer>({ name, ...binary })
    // In one transaction: each table by itself would be a commit of its own, and waits for the disk where it is new.
    const opened = root.transactionSync(() => ({ log: table('log'), latest: table('latest'), expiry: table('expiry'), meta: table('meta') }))
    tables = {
      ...opened,
      commit: change => root.childTransaction(change).catch(explainCommit),
      close: () => root.close(),
    }
  } catch (error) {
    throw new BackendError('corrupt', `the store in ${dir} cannot be opened: ${errorMessage(error)}`, { cause: error })
  }
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

/**
 * A failed commit comes with a promise of its reason, which has to be caught too, or it ends the process. (So does the promise of a batch that the package
 * makes for each turn of the event loop by default: `eventTurnBatching` is off, for the writer makes its own groups.)
 */
async function explainCommit(error: Error & { commitError?: Promise<never> }): Promise<never> {
  const reason = error.commitError?.catch((cause: unknown) => cause)
  throw (await Promise.race([reason, sleep(reasonWait, undefined, { ref: false })])) ?? error
}
const reasonWait = 100
