import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TimerClock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { makePrivateDirectory } from '../../lib/private-file.ts'
import type { Backend, BackendFork, ForkOptions, GuardedWrite, KeyValue, RangePage, RangeQuery, WriteResult } from '../backend.ts'
import { BackendError } from '../backend.ts'
import type { Key, Revision } from '../revision.ts'
import type { StoreHistory } from '../store-history.ts'
import { type Compactor, openCompactor } from './compactor.ts'
import { type DirectoryLock, lockDirectory } from './directory-lock.ts'
import type { Tables } from './environment.ts'
import { type Expiry, openExpiry } from './expiry.ts'
import { ForkTables } from './fork-tables.ts'
import { FullDisk } from './full-disk.ts'
import { boundMappedMemory } from './mapped-memory.ts'
import { type MemoryTables, memoryTables } from './memory-tables.ts'
import { readRange } from './range.ts'
import { getAt } from './reader.ts'
import { refuseDamage } from './refuse-damage.ts'
import { reportCommits } from './report-commits.ts'
import { snapshotOf } from './snapshot.ts'
import { StampedHistory } from './stamped-history.ts'
import { metaRevision, openTablesToWrite, putStampsSince, stampsSince } from './tables.ts'
import { openWatchers, type Watchers } from './watchers.ts'
import { openWriter, type Writer } from './writer.ts'

/** Default of etcd's --max-request-bytes. */
const DEFAULT_MAX_REQUEST_BYTES = 1.5 * 1024 * 1024

/** Options of every embedded store. */
interface StoreOptions {
  /** Maximum size of a write, key and value, in bytes. Default: 1.5 MiB. */
  readonly maxRequestBytes?: number
  /**
   * Whether changes are stored with their time, and `history` is available. Default: false. A store that has kept
   * history before continues to store times.
   */
  readonly keepsHistory?: boolean
}

/** Options of a store on disk. */
export interface EmbeddedOptions extends StoreOptions {
  /** Directory of the store. It is created with mode 0700 if it is missing. Only one process at a time can open it. */
  readonly dir: string
  /**
   * Whether a damaged store is replaced with its undamaged objects (`salvage.ts`). Otherwise it is refused. Default:
   * false.
   */
  readonly servesDamaged?: boolean
  /** Optional. Wraps the tables. Tests use it to count commits, or to make one fail. */
  readonly wrapTables?: (tables: Tables) => Tables
}

/**
 * Opens the embedded store.
 * @throws BackendError `unavailable` if another process holds the directory, `corrupt` if its contents cannot be read
 * or are damaged
 */
export async function openEmbedded(options: EmbeddedOptions, clock: TimerClock, logger: Logger): Promise<Backend> {
  makePrivateDirectory(options.dir)
  const lock = await lockDirectory(options.dir)
  try {
    await refuseDamage(options, logger)
    const opened = checkedBy(lock, await openTablesToWrite(options.dir))
    if (options.keepsHistory && stampsSince(opened) === undefined) await opened.commit(() => putStampsSince(opened, clock.now()))
    const release = boundMappedMemory(opened.unmap)
    const close = async (): Promise<void> => {
      release()
      await opened.close()
      lock.release()
    }
    const path = join(options.dir, 'data.mdb')
    logger.debug(1, 'embedded store opened', { path, revision: metaRevision(opened, 'revision') })
    // Counted in blocks, because the file may have holes.
    const size = async (): Promise<number> => (await stat(path)).blocks * 512
    const disk = new FullDisk(options.dir, clock)
    const tables = reportCommits(options.wrapTables?.(opened) ?? opened, options.dir, disk, logger)
    return new EmbeddedStore({ ...options, tables, disk, close, size }, clock, logger)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Returns tables whose commits fail once the lock is lost. */
const checkedBy = (lock: DirectoryLock, tables: Tables): Tables => ({
  ...tables,
  commit: change =>
    tables.commit(() => {
      lock.check()
      return change()
    }),
})

/**
 * Opens a store in the memory of this process. It uses `tables`, if given, and closes them when it is closed. Otherwise
 * it is empty.
 */
export function openInMemory(clock: TimerClock, logger: Logger, options: StoreOptions & { readonly tables?: MemoryTables } = {}): Backend {
  const { tables = memoryTables() } = options
  if (options.keepsHistory) tables.keepHistory(clock.now())
  return new EmbeddedStore({ ...options, tables, size: async () => tables.bytes(), close: () => tables.close() }, clock, logger)
}

/** Opened parts of a store. */
interface OpenedOptions extends StoreOptions {
  /** Tables that the store owns from then on. */
  readonly tables: Tables
  /** Omitted for a store in memory. */
  readonly disk?: FullDisk
  /** Returns the size of the store in bytes. */
  size(): Promise<number>
  /** Closes the tables and releases the directory. */
  close(): Promise<void>
}

class EmbeddedStore implements Backend {
  readonly watch: Backend['watch']
  readonly history: StoreHistory | undefined
  readonly #options: OpenedOptions
  readonly #tables: Tables
  readonly #clock: TimerClock
  readonly #compactor: Compactor
  readonly #watchers: Watchers
  readonly #writer: Writer
  readonly #expiry: Expiry
  readonly #logger: Logger
  readonly #forks = new Set<ForkTables>()
  #revision: Revision
  #closing: Promise<void> | undefined

  constructor(options: OpenedOptions, clock: TimerClock, logger: Logger) {
    const { tables } = options
    this.#options = options
    this.#tables = tables
    this.#clock = clock
    this.#revision = metaRevision(tables, 'revision')
    const compactor = openCompactor(tables, logger)
    const watchers = openWatchers({ tables, revision: () => this.#revision, compacted: compactor.compacted })
    this.#compactor = compactor
    this.#watchers = watchers
    this.history = options.keepsHistory ? new StampedHistory(tables, compactor, signal => this.#admit(signal)) : undefined
    this.#logger = logger
    this.#writer = openWriter({
      tables,
      clock,
      disk: options.disk,
      replacing: key => {
        for (const fork of this.#forks) fork.keep(key)
      },
      committed: (changes, now) => {
        this.#revision = now
        watchers.publish(changes, now)
      },
    })
    this.#expiry = openExpiry(tables, this.#writer, clock, logger)
    this.watch = watchers.watch
  }

  async get(key: Key, signal: AbortSignal, at?: Revision): Promise<{ item: KeyValue | undefined; revision: Revision }> {
    this.#admit(signal)
    const revision = this.#readable(at)
    return { item: getAt(this.#tables, key, at), revision }
  }

  async range(query: RangeQuery, signal: AbortSignal): Promise<RangePage> {
    this.#admit(signal)
    const now = this.#readable(query.at)
    const at = query.at ?? now
    return readRange(this.#tables, query, at, now, () => {
      this.#admit(signal)
      this.#readable(at)
    })
  }

  async write(write: GuardedWrite, signal: AbortSignal): Promise<WriteResult> {
    this.#admit(signal)
    const { maxRequestBytes = DEFAULT_MAX_REQUEST_BYTES } = this.#options
    if (write.key.length + (write.value?.length ?? 0) > maxRequestBytes)
      throw new BackendError('too large', 'etcdserver: request is too large')
    const deadline = write.value && write.ttlSeconds ? this.#clock.now() + write.ttlSeconds * 1000 : undefined
    const result = await this.#writer.write(write, { signal, ...(deadline && { deadline }) })
    if (deadline) this.#expiry.schedule(deadline)
    return result
  }

  async currentRevision(signal: AbortSignal): Promise<Revision> {
    this.#admit(signal)
    return this.#readable(undefined)
  }

  async compact(before: Revision, signal: AbortSignal): Promise<void> {
    this.#admit(signal)
    if (before > this.#readable(undefined))
      throw new BackendError('future', `revision ${before} is later than the newest, ${this.#revision}`)
    await this.#compactor.compact(before)
  }

  snapshot(signal: AbortSignal): AsyncGenerator<Buffer> {
    this.#admit(signal)
    return snapshotOf({ tables: this.#tables, holdLog: () => this.#compactor.hold(), holdExpiry: () => this.#expiry.hold() }, signal)
  }

  async check(signal: AbortSignal): Promise<void> {
    this.#admit(signal)
  }

  async size(signal: AbortSignal): Promise<number> {
    this.#admit(signal)
    return this.#options.size()
  }

  async fork(options: ForkOptions, signal: AbortSignal): Promise<BackendFork> {
    this.#admit(signal)
    // Created in a commit: changes of a commit in progress would not be reported to the fork.
    const tables = await this.#tables.commit(() => {
      const fork = new ForkTables(this.#tables, options.at ?? metaRevision(this.#tables, 'revision'), options)
      this.#readable(fork.at)
      this.#forks.add(fork)
      return fork
    })
    const forget = (): void => void this.#forks.delete(tables)
    try {
      await tables.fill()
      this.#admit(signal)
    } catch (error) {
      forget()
      throw error
    }
    return new EmbeddedFork(tables, forget, { ...options, clock: this.#clock, logger: this.#logger })
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    this.#expiry.close()
    this.#watchers.close()
    await this.#writer.close()
    await this.#compactor.close()
    await this.#options.close()
  }

  /** Throws BackendError `aborted` or `unavailable` if the call must not begin. */
  #admit(signal?: AbortSignal): void {
    if (signal?.aborted) throw new BackendError('aborted', 'the call was aborted', { cause: signal.reason })
    if (this.#closing) throw new BackendError('unavailable', 'the store is closed')
  }

  /**
   * Returns the newest revision, from the tables: a commit on disk is visible to reads shortly before it is announced.
   * Throws if `at` cannot be read.
   */
  #readable(at: Revision | undefined): Revision {
    const now = metaRevision(this.#tables, 'revision')
    if (at === undefined) return now
    if (at > now) throw new BackendError('future', `revision ${at} is later than the newest, ${now}`)
    const compactRevision = this.#compactor.compacted()
    if (at < compactRevision) throw new BackendError('compacted', `revision ${at} is compacted`, { compactRevision })
    return now
  }
}

/** A fork, as a store of its own. */
class EmbeddedFork extends EmbeddedStore implements BackendFork {
  /** Revision of the copied state. Revisions of the fork continue from it. */
  readonly forkedAt: Revision
  readonly #tables: ForkTables
  readonly #maxBytes: number

  constructor(
    tables: ForkTables,
    forget: () => void,
    { maxBytes, clock, logger }: ForkOptions & { readonly clock: TimerClock; readonly logger: Logger },
  ) {
    const close = (): Promise<void> => {
      forget()
      return tables.close()
    }
    super({ tables, size: async () => tables.bytes(), close }, clock, logger)
    this.#tables = tables
    this.#maxBytes = maxBytes
    this.forkedAt = tables.at
  }

  override write(write: GuardedWrite, signal: AbortSignal): Promise<WriteResult> {
    const { value } = write
    if (value && this.bytes() + value.length > this.#maxBytes)
      return Promise.reject(new BackendError('too large', `a fork holds ${this.#maxBytes} bytes of its own at most`))
    return super.write(write, signal)
  }

  bytes(): number {
    return this.#tables.bytes()
  }

  changed(start: Key): ReturnType<BackendFork['changed']> {
    return this.#tables.changed(start)
  }
}
