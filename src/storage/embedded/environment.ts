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

/** Rows of a table: from `start`, inclusive, to `end`, exclusive. */
export interface Range {
  readonly start?: Buffer
  readonly end?: Buffer
  readonly limit?: number
}

/**
 * The part of an LMDB table that the store uses. A value that is read is a view of exactly its bytes, which the next read may overwrite; iterators end within the turn that began them.
 * Rows have a checksum (`row-checksum.ts`), which is not a part of the value. Reading a damaged row throws a BackendError `corrupt` that names it.
 */
export interface Table {
  getBinaryFast(id: Buffer): Buffer | undefined
  getRange(range: Range): Iterable<{ readonly key: Buffer; readonly value: Buffer }>
  getKeys(range: Range): Iterable<Buffer>
  putSync(id: Buffer, value: Buffer): void
  removeSync(id: Buffer): void
}

/** The open tables: an LMDB environment, or memory (`memory-tables.ts`). `layout.ts` says what the tables hold. */
export interface Tables {
  readonly log: Table
  readonly latest: Table
  readonly deleted: Table
  readonly expiry: Table
  readonly meta: Table
  /**
   * Runs the callback in the one write transaction and resolves once it is committed and on disk. Where the callback throws, nothing of it is kept.
   * Tests put their own in its place to count commits or to let one fail.
   */
  commit<T>(change: () => T): Promise<T>
  /** Gives back the memory into which the file is mapped, between two commits; what is read afterwards is mapped anew. Resolves when that is done, and never rejects: the next use of a table throws a failure. */
  unmap(): Promise<void>
  close(): Promise<void>
}

interface Opened extends Readonly<Record<TableName, Database<Buffer, Buffer>>> {
  readonly root: RootDatabase<Buffer, Buffer>
}

/**
 * Opens the LMDB environment in a directory, and creates its tables in an empty one. Commits wait for the disk (`overlappingSync: false`): a commit that resolves is durable.
 * @throws BackendError `corrupt` where the directory holds something else
 */
export async function openEnvironment(dir: string): Promise<Tables> {
  const { open } = await import('lmdb')
  const openAgain = (): Opened => {
    const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const
    // Known to the package, not to its types; what is stored is for its owner only, whoever made the directory.
    const options = { path: dir, maxDbs: 8, overlappingSync: false, eventTurnBatching: false, permissionsMode: 0o600, ...binary }
    const root = open<Buffer, Buffer>(options)
    printNoFailures(root)
    const table = (name: TableName): Database<Buffer, Buffer> => root.openDB<Buffer, Buffer>({ name, ...binary })
    // In one transaction: each table by itself would be a commit of its own, and waits for the disk where it is new.
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
 * The tables of an environment that is closed and opened again to unmap its file. LMDB maps the file to read it, and of what it has once read nothing leaves the process: each page counts as resident, and once more
 * for each smaller map that the package keeps from before the file grew.
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
  /** Which file it is. */
  readonly #inode: bigint
  readonly #open: () => Opened
  /** Whether every row has a checksum, as in a store that this program, or a later one, has created. */
  readonly #isChecked: boolean
  /** Undefined while it is opened again. */
  #opened: Opened | undefined
  #closed = false
  #commits = 0
  /** Called when no commit is under way. */
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

  /** Buffers of the package do not leave it: they may be longer than their `length`. */
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
      // A key has no checksum without its value.
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

  /** Where opening it again has failed, each use tries once more. LMDB would make an empty file in the place of one that is gone, with none of what was acknowledged. */
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

  #unmap(): Promise<void> {
    this.#unmapping ??= this.#openAgain().finally(() => {
      this.#unmapping = undefined
    })
    return this.#unmapping
  }

  async #openAgain(): Promise<void> {
    if (this.#commits > 0) {
      await new Promise<void>(resolve => {
        this.#onIdle = resolve
      })
      this.#onIdle = undefined
    }
    // In a callback of its own: without a commit under way, closing waits for settled promises alone, so nothing reads before it is open again.
    await nextIteration()
    const opened = this.#opened
    if (opened === undefined || this.#closed) return
    this.#opened = undefined
    try {
      await opened.root.close()
      this.#now()
    } catch {
      // The next use throws it.
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

/** Statuses of a batch of writes that are no failures: done, written, and transactions that wait for their callbacks. */
const MOST_STATUS = 2

/** The package prints each commit that fails to the console, with a stack. Its caller gets the failure as well, and logs it. */
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

/** Throws where there is no file. */
const inodeIn = (dir: string): bigint => statSync(join(dir, 'data.mdb'), { bigint: true }).ino

/**
 * A failed commit comes with a promise of its reason, which has to be caught too, or it ends the process. (So does the promise of a batch that the package
 * makes for each turn of the event loop by default: `eventTurnBatching` is off, for the writer makes its own groups.)
 */
async function explainCommit(error: Error & { commitError?: Promise<never> }, dir: string): Promise<never> {
  if (error.commitError === undefined) throw error
  const reason = error.commitError.catch((cause: unknown) => cause)
  const cause = (await Promise.race([reason, sleep(reasonWait, undefined, { ref: false })])) ?? error
  // LMDB has printed it without the end of a line.
  if (cause instanceof Error && 'code' in cause && cause.code === ENOSPC) process.stderr.write('\n')
  throw commitFailure(dir, cause)
}
const reasonWait = 100
