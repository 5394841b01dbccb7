import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Backend } from '../backend.ts'
import { BackendError } from '../backend.ts'
import type { Revision } from '../revision.ts'
import { openCompactor } from './compactor.ts'
import { lockDirectory } from './directory-lock.ts'
import { openExpiry } from './expiry.ts'
import { openFeed } from './feed.ts'
import { inspectDataFile } from './inspect.ts'
import { readRange } from './range.ts'
import { getAt } from './reader.ts'
import type { Tables } from './tables.ts'
import { metaNumber, openTables } from './tables.ts'
import { openWriter } from './writer.ts'

export interface EmbeddedOptions {
  /** Directory of the store, made (mode 0700) where missing. One process at a time. */
  readonly dir: string
  /** Bytes of the largest write, key and value. Default: as etcd's --max-request-bytes, 1.5 MiB. */
  readonly maxRequestBytes?: number
  /** Tests count commits, or let one fail, by wrapping the tables. */
  readonly wrapTables?: (tables: Tables) => Tables
}

/**
 * Opens the embedded store.
 * @throws BackendError `unavailable` where another process holds the directory, `corrupt` where it holds something that cannot be read
 */
export async function openEmbedded(options: EmbeddedOptions, clock: Clock, logger: Logger): Promise<Backend> {
  mkdirSync(options.dir, { recursive: true, mode: 0o700 })
  const unlock = lockDirectory(options.dir)
  let opened: Tables
  try {
    inspectDataFile(options.dir)
    opened = await openTables(options.dir)
  } catch (error) {
    unlock()
    throw error
  }
  const tables = options.wrapTables?.(opened) ?? opened
  const maxRequestBytes = options.maxRequestBytes ?? 1.5 * 1024 * 1024
  let revision = metaNumber(tables, 'revision') as Revision
  let closing: Promise<void> | undefined
  const compactor = openCompactor(tables, logger)
  const feed = openFeed({ tables, revision: () => revision, compacted: compactor.compacted })
  const writer = openWriter({
    tables,
    committed(changes, now) {
      revision = now
      feed.publish(changes, now)
    },
  })
  const expiry = openExpiry(tables, writer, clock, logger)

  function admit(signal: AbortSignal): void {
    if (signal.aborted) throw new BackendError('aborted', 'the call was aborted', { cause: signal.reason })
    if (closing) throw new BackendError('unavailable', 'the store is closed')
  }

  /** `now` comes from the tables: a commit that is on disk shows in reads a moment before it is announced. */
  function readable(at: Revision | undefined): Revision {
    const now = metaNumber(tables, 'revision') as Revision
    if (at === undefined) return now
    if (at > now) throw new BackendError('future', `revision ${at} is later than the newest, ${now}`)
    const compactRevision = compactor.compacted()
    if (at < compactRevision) throw new BackendError('compacted', `revision ${at} is compacted`, { compactRevision })
    return now
  }

  async function close(): Promise<void> {
    expiry.close()
    feed.close()
    await writer.close()
    await compactor.close()
    await opened.close()
    unlock()
  }

  logger.debug(1, 'embedded store opened', { path: join(options.dir, 'data.mdb'), revision })
  return {
    async get(key, signal, at) {
      admit(signal)
      const now = readable(at)
      return { item: getAt(tables, key, at), revision: now }
    },
    async range(query, signal) {
      admit(signal)
      const now = readable(query.at)
      const at = query.at ?? now
      return readRange(tables, query, at, now, () => {
        admit(signal)
        readable(at)
      })
    },
    async write(write, signal) {
      admit(signal)
      if (write.key.length + (write.value?.length ?? 0) > maxRequestBytes) throw new BackendError('too large', 'etcdserver: request is too large')
      const deadline = write.value && write.ttlSeconds ? clock.now() + write.ttlSeconds * 1000 : undefined
      const result = await writer.write(write, { signal, ...(deadline && { deadline }) })
      if (deadline) expiry.schedule(deadline)
      return result
    },
    watch: feed.watch,
    async currentRevision(signal) {
      admit(signal)
      return readable(undefined)
    },
    async compact(before, signal) {
      admit(signal)
      if (before > readable(undefined)) throw new BackendError('future', `revision ${before} is later than the newest, ${revision}`)
      await compactor.compact(before)
    },
    async check(signal) {
      admit(signal)
    },
    async size(signal) {
      admit(signal)
      // In blocks: the file may have holes.
      return (await stat(join(options.dir, 'data.mdb'))).blocks * 512
    },
    close() {
      closing ??= close()
      return closing
    },
  }
}
