import type { Logger } from '../../lib/log.ts'
import { nextTurn } from '../../lib/turn.ts'
import { type Revision, revision } from '../revision.ts'
import { isCommitFailure } from './commit-failure.ts'
import type { Tables } from './environment.ts'
import { copyOf, DELETION_RECORD, decodeLatest, decodeRecord, numberBytes } from './layout.ts'
import { metaRevision, setMeta } from './tables.ts'

/** Most revisions that are swept in one commit. It bounds how long writers wait. */
const SWEEP_STEP = 500
/**
 * Bytes of records after which a commit ends. Reading them takes a millisecond or two, as each is checked by its CRC.
 */
export const SWEEP_BYTES = 512 * 1024

/** Compaction of a store's history. */
export interface Compactor {
  /** Returns the oldest revision that can be read. */
  compacted(): Revision
  /** Resolves once the new bound is on disk. History before it is removed in the background. */
  compact(before: Revision): Promise<void>
  /** Prevents the removal of history until the function that it resolves with is called. */
  hold(): Promise<() => void>
  close(): Promise<void>
}

/**
 * Removes history before the compacted revision: changes that a later change, up to that revision, has replaced, and
 * earlier deletions. An interrupted sweep continues when the store is opened again.
 */
export function openCompactor(tables: Tables, logger: Logger): Compactor {
  let compacted = metaRevision(tables, 'compacted')
  let sweeping: Promise<void> | undefined
  let closed = false
  /** Number of holds. History is removed only while there is none. */
  let held = 0

  /** Removes in commits of some revisions, and stores how far it is, so that writes wait for one of them at most. */
  async function sweep(): Promise<void> {
    let swept = metaRevision(tables, 'swept')
    // A deletion at the bound of the last sweep is left: its revision is swept again with a later bound.
    let from: number = swept
    while (!closed && held === 0 && swept < compacted) {
      const bound = compacted
      swept = await tables.commit(() => {
        const last = revision(sweepSome(tables, from, bound))
        setMeta(tables, 'swept', last)
        return last
      })
      from = swept < bound ? swept + 1 : swept
      await nextTurn()
    }
  }

  /** Begins a sweep unless one is running, which continues up to the newest bound itself. */
  function start(): void {
    sweeping ??= sweep()
      .catch(error => {
        if (!isCommitFailure(error)) logger.error('cannot remove compacted history', { error: String(error) })
      })
      .finally(() => {
        sweeping = undefined
      })
  }

  start()
  return {
    compacted: () => compacted,
    async compact(before) {
      if (before <= compacted) return
      await tables.commit(() => setMeta(tables, 'compacted', before))
      // A concurrent call may have compacted further.
      if (before > compacted) compacted = before
      start()
    },
    async hold() {
      held++
      await sweeping
      return () => {
        if (--held === 0 && !closed) start()
      }
    },
    async close() {
      closed = true
      await sweeping
    },
  }
}

/** Sweeps revisions up to the bound, as many as fit into one commit. Returns the last one. */
function sweepSome(tables: Tables, from: number, bound: number): number {
  const last = Math.min(bound, from + SWEEP_STEP)
  let bytes = 0
  for (let at = from; ; at++) {
    bytes += sweepOne(tables, at, bound)
    if (at >= last || bytes >= SWEEP_BYTES) return at
  }
}

/**
 * Removes what a record of the log makes superfluous: the record before it of the same key, and a deletion before the
 * compacted revision with its key. Must run in a commit. Returns the size of the record.
 */
function sweepOne(tables: Tables, revision: number, compacted: number): number {
  const id = numberBytes(revision)
  const bytes = tables.log.getBinaryFast(id)
  if (!bytes) return 0
  const { before, kind, key } = decodeRecord(bytes)
  if (kind === DELETION_RECORD && revision < compacted) {
    const name = copyOf(key)
    tables.log.removeSync(id)
    for (const table of [tables.latest, tables.deleted]) {
      const row = table.getBinaryFast(name)
      if (row && decodeLatest(row).modRevision === revision) table.removeSync(name)
    }
  }
  if (before !== 0) tables.log.removeSync(numberBytes(before))
  return bytes.length
}
