import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises'
import type { Database, RootDatabase } from 'lmdb'
import { errorMessage } from '../../lib/error-message.ts'
import { heldFromExit } from '../../lib/exit-at-rest.ts'
import { BackendError } from '../backend.ts'
import { commitFailure, ENOSPC } from './commit-failure.ts'
import { rowName } from './damage.ts'
import { CHECKED_WORD, checkedValue, FORMAT_WORD, type TableName, withChecksum } from './row-checksum.ts'

/** Rows of a table from `start`, inclusive, to `end`, exclusive. */
export interface Range {
  readonly start?: Buffer
  readonly end?: Buffer
  /** Maximum number of rows. Defaults to all. */
  readonly limit?: number
}

/**
 * The part of LMDB's table interface that the store uses. A value that is read is a view of exactly its bytes, which
 * the next read may overwrite. An iterator must end within the turn that started it. Stored rows have a checksum
 * (`row-checksum.ts`), which is not part of the value. Reading a damaged row throws a BackendError `corrupt` that names
 * it.
 */
export interface Table {
  /** Returns the value of a row. Undefined if there is no such row. */
  getBinaryFast(id: Buffer): Buffer | undefined
  /** Iterates over rows in key order. */
  getRange(range: Range): Iterable<{ readonly key: Buffer; readonly value: Buffer }>
  /** Iterates over the keys of rows, in order. */
  getKeys(range: Range): Iterable<Buffer>
  /** Writes a row, within a commit. A table in memory may keep the buffer: it must not be changed. */
  putSync(id: Buffer, value: Buffer): void
  /** Removes a row, within a commit. Without such a row nothing happens. */
  removeSync(id: Buffer): void
}

/**
 * The open tables, in an LMDB environment or in memory (`memory-tables.ts`). Their contents are described in
 * `layout.ts`.
 */
export interface Tables {
  readonly log: Table
  readonly latest: Table
  readonly deleted: Table
  readonly expiry: Table
  readonly meta: Table
  /**
   * Runs the callback in the only write transaction, and resolves when it is committed and on disk. If the callback
   * throws, nothing of the transaction is kept. Tests replace it to count commits or to make one fail.
   */
  commit<T>(change: () => T): Promise<T>
  /**
   * Unmaps the file between two commits, to release its memory. Later reads map it again. Resolves when that is done,
   * and never rejects: a failure is thrown by the next use of a table.
   */
  unmap(): Promise<void>
  /**
   * Waits until the file is no longer being unmapped, then closes the environment. Later uses of a table throw
   * BackendError `unavailable`.
   */
  close(): Promise<void>
}

/**
 * Size of the pages of a new file, in bytes. An existing file keeps its own. A value that spans several pages needs
 * pages in sequence: LMDB searches its list of free pages for them in each commit, and a list of a hundred thousand
 * pages, as compactions leave it, slows writes to a tenth. Most objects fit into one page of this size.
 */
export const PAGE_BYTES = 8192

/** An open environment of the package, with its databases. */
interface Opened extends Readonly<Record<TableName, Database<Buffer, Buffer>>> {
  readonly root: RootDatabase<Buffer, Buffer>
}

/**
 * Opens the LMDB environment in a directory, and creates its tables if it is empty. Commits wait for the disk
 * (`overlappingSync: false`): when a commit resolves, it is durable.
 * @throws BackendError `corrupt` if the directory holds something else
 */
export async function openEnvironment(dir: string): Promise<Tables> {
  const { open } = await import('lmdb')
  const openAgain = (): Opened => {
    const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const
    // `permissionsMode` is missing in the package's types. Only the owner may read the file, whatever the mode of the
    // directory.
    const commits = { overlappingSync: false, eventTurnBatching: false }
    const options = { path: dir, maxDbs: 8, pageSize: PAGE_BYTES, permissionsMode: 0o600, ...commits, ...binary }
    const root = open<Buffer, Buffer>(options)
    printNoFailures(root)
    const table = (name: TableName): Database<Buffer, Buffer> => root.openDB<Buffer, Buffer>({ name, ...binary })
    // One transaction creates all tables. Otherwise each new table would be a commit of its own, which waits for the
    // disk.
    return root.transactionSync(() => ({
      root,
      log: table('log'),
      latest: table('latest'),
      deleted: table('deleted'),
      expiry: table('expiry'),
      meta: table('meta'),
    }))
  }
  try {
    return new Environment(dir, openAgain)
  } catch (error) {
    throw new BackendError('corrupt', `the store in ${dir} cannot be opened: ${errorMessage(error)}`, { cause: error })
  }
}

/**
 * Tables of an environment that can be closed and reopened to unmap its file. LMDB maps the file for reading and never
 * unmaps what was read: each page stays resident, and counts again for each smaller map that the package keeps from
 * before the file grew.
 */
class Environment implements Tables {
  readonly log: Table
  readonly latest: Table
  readonly deleted: Table
  readonly expiry: Table
  readonly meta: Table
  readonly commit: Tables['commit'] = change => this.#commit(change)
  readonly unmap: Tables['unmap'] = () => this.#unmap()
  readonly close: Tables['close'] = () => this.#close()
  readonly #dir: string
  /** Identifies the file. */
  readonly #inode: bigint
  readonly #open: () => Opened
  /** Whether every row has a checksum. True for stores created by this or a later version of the program. */
  readonly #isChecked: boolean
  /** Undefined while the environment is being reopened. */
  #opened: Opened | undefined
  #closed = false
  #commits = 0
  /** Called when no commit is running. */
  #onIdle: (() => void) | undefined
  #unmapping: Promise<void> | undefined

  constructor(dir: string, open: () => Opened) {
    this.#dir = dir
    this.#open = open
    this.#opened = open()
    this.#inode = inodeIn(dir)
    const { meta } = this.#opened
    this.#isChecked = meta.getBinaryFast(CHECKED_WORD) !== undefined || meta.getBinaryFast(FORMAT_WORD) === undefined
    this.log = this.#table('log')
    this.latest = this.#table('latest')
    this.deleted = this.#table('deleted')
    this.expiry = this.#table('expiry')
    this.meta = this.#table('meta')
  }

  /** Creates a checked table. The package's buffers stay inside, because they may be longer than their `length`. */
  #table(name: TableName): Table {
    const checked = (id: Buffer, bytes: Buffer): Buffer => {
      const value = checkedValue(name, id, bytes, this.#isChecked)
      if (value === undefined)
        throw new BackendError('corrupt', `the store in ${this.#dir} is damaged: ${rowName(name, id, bytes)} does not match its checksum`)
      return value
    }
    const now = (): Database<Buffer, Buffer> => this.#now()[name]
    return {
      getBinaryFast(id) {
        const bytes = now().getBinaryFast(id)
        return bytes && checked(id, bytes)
      },
      *getRange(range) {
        for (const { key, value } of now().getRange(range)) yield { key, value: checked(key, value) }
      },
      // Reads the values, too, because a key has no checksum of its own.
      *getKeys(range) {
        for (const { key, value } of now().getRange(range)) {
          checked(key, value)
          yield key
        }
      },
      putSync: (id, value) => void now().putSync(id, withChecksum(name, id, value)),
      removeSync: id => void now().removeSync(id),
    }
  }

  /**
   * Returns the open environment. If reopening it has failed, each use tries again. Checks the file first: LMDB would
   * create an empty one in place of a file that is gone.
   */
  #now(): Opened {
    if (this.#opened !== undefined) return this.#opened
    if (this.#closed) throw new BackendError('unavailable', 'the store is closed')
    try {
      if (inodeIn(this.#dir) !== this.#inode) throw new Error('another file is in its place')
      this.#opened = this.#open()
      return this.#opened
    } catch (error) {
      throw new BackendError('unavailable', `the store in ${this.#dir} cannot be opened again: ${errorMessage(error)}`, { cause: error })
    }
  }

  async #commit<T>(change: () => T): Promise<T> {
    while (this.#unmapping !== undefined) await this.#unmapping
    this.#commits++
    try {
      return await heldFromExit(() => this.#now().root.childTransaction(change)).catch(error => explainCommit(error, this.#dir))
    } finally {
      if (--this.#commits === 0) this.#onIdle?.()
    }
  }

  /** Unmaps the file once for all callers that wait. */
  #unmap(): Promise<void> {
    this.#unmapping ??= this.#openAgain().finally(() => {
      this.#unmapping = undefined
    })
    return this.#unmapping
  }

  /** Closes and opens the data file while no commit runs, which unmaps the pages that were read. */
  async #openAgain(): Promise<void> {
    if (this.#commits > 0) {
      await new Promise<void>(resolve => {
        this.#onIdle = resolve
      })
      this.#onIdle = undefined
    }
    // Continues in a callback of its own. Without a running commit, closing waits only for settled promises, so nothing
    // reads before it is reopened.
    await nextIteration()
    const opened = this.#opened
    if (opened === undefined || this.#closed) return
    this.#opened = undefined
    try {
      await opened.root.close()
      this.#now()
    } catch {
      // The next use of a table throws the failure.
    }
  }

  async #close(): Promise<void> {
    await this.#unmapping
    const opened = this.#opened
    this.#closed = true
    this.#opened = undefined
    await opened?.root.close()
  }
}

/** Statuses up to this one are not failures: done, written, and transactions that wait for their callbacks. */
const MOST_STATUS = 2

/**
 * Keeps the package from printing each failed commit with a stack trace. The caller gets the failure as well, and logs
 * it.
 */
function printNoFailures(root: object): void {
  const { env } = root as { readonly env?: { startWriting?(address: number, callback: (status: number) => unknown): unknown } }
  const startWriting = env?.startWriting
  if (env === undefined || startWriting === undefined) return
  const value: typeof startWriting = (address, callback) =>
    startWriting.call(env, address, status => {
      if (status >= 0 && status <= MOST_STATUS) return callback(status)
      const { error } = console
      console.error = () => {}
      try {
        return callback(status)
      } finally {
        console.error = error
      }
    })
  Object.defineProperty(env, 'startWriting', { value })
}

/** Returns the inode of the data file. Throws if there is none. */
const inodeIn = (dir: string): bigint => statSync(join(dir, 'data.mdb'), { bigint: true }).ino

/**
 * Throws the reason of a failed commit. The package's error has a promise of the reason, which must be handled, or its
 * rejection ends the process. (The same goes for the promise of a batch that the package makes for each turn of the
 * event loop by default: `eventTurnBatching` is off, because the writer forms its own groups.)
 */
async function explainCommit(error: Error & { commitError?: Promise<never> }, dir: string): Promise<never> {
  if (error.commitError === undefined) throw error
  const reason = error.commitError.catch((cause: unknown) => cause)
  const cause = (await Promise.race([reason, sleep(REASON_WAIT, undefined, { ref: false })])) ?? error
  // LMDB has printed a message without a line break.
  if (cause instanceof Error && 'code' in cause && cause.code === ENOSPC) process.stderr.write('\n')
  throw commitFailure(dir, cause)
}
/** Milliseconds to wait for the reason of a failed commit. */
const REASON_WAIT = 100
