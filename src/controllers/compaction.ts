import type { TimerClock } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { type Backend, BackendError } from '../storage/backend.ts'
import type { Key, Revision } from '../storage/revision.ts'
import type { StoreHistory } from '../storage/store-history.ts'

const DEADLINE_MS = 30_000

/**
 * What a new store was filled with has no history: no client has seen a version from before. Call it before anything is written; what it gives drops the history up to then, and
 * resolves with that revision. Nothing is dropped of a store that has been used, or that this server may not compact: undefined. `before`: a key that is written before everything else, and may be there.
 */
export function newStore(backend: Backend, before: Key, signal: AbortSignal): () => Promise<Revision | undefined> {
  const first = withDeadline(signal, DEADLINE_MS, within => backend.get(before, within)).catch(() => undefined)
  return async () => {
    const found = await first
    // The first write to a store makes the revision after EMPTY: `before` is the only one that is allowed here.
    const writes = found?.item?.createRevision === EMPTY + 1 ? 1 : 0
    if (found === undefined || found.revision > EMPTY + writes) return undefined
    return withDeadline(signal, DEADLINE_MS, async within => {
      const now = await backend.currentRevision(within)
      try {
        await backend.compact(now, within)
      } catch (error) {
        if (isDenied(error)) return undefined
        throw error
      }
      return now
    })
  }
}

/** The revision of a store that nothing has been written to. */
const EMPTY = 1

const isDenied = (error: unknown): boolean => error instanceof BackendError && error.code === 'denied'

export interface Compaction {
  readonly backend: Backend
  readonly logger: Logger
  readonly intervalMs: number
  readonly clock: TimerClock
}

/**
 * Drops the store's history that is older than one interval, as kube-apiserver does: what was the newest revision one interval ago is the oldest one kept. A user of the store who may not compact it leaves that to
 * others, which the log says once.
 */
export async function compactHistory({ backend, logger, intervalMs, clock }: Compaction, signal: AbortSignal): Promise<void> {
  let previous: Revision | undefined
  let wasDenied = false
  while (!signal.aborted) {
    try {
      const now = await withDeadline(signal, DEADLINE_MS, within => backend.currentRevision(within))
      if (previous !== undefined) {
        const before = previous
        await withDeadline(signal, DEADLINE_MS, within => backend.compact(before, within))
        logger.debug(2, 'history is compacted', { before })
      }
      previous = now
    } catch (error) {
      if (isDenied(error)) {
        if (!wasDenied) logger.info('history is not compacted by this server: its user of the store may not write compact_rev_key')
        wasDenied = true
      } else if (!signal.aborted) logger.warn('history cannot be compacted', { error: errorMessage(error) })
    }
    await pause(intervalMs, signal, clock)
  }
}

export interface Retention {
  readonly history: StoreHistory
  readonly logger: Logger
  readonly keptMs: number
  readonly maxBytes: number
  readonly clock: TimerClock
}

/** Between two looks at what has grown too old, or too much. */
const RETAIN_EVERY_MS = 10_000

/** Drops what is older than the store is to keep, and the oldest where that is too much. */
export async function retainHistory({ history, logger, keptMs, maxBytes, clock }: Retention, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const oldest = await history.retain(clock.now() - keptMs, maxBytes)
      logger.debug(2, 'history is kept', { oldest })
    } catch (error) {
      if (!signal.aborted) logger.warn('history cannot be compacted', { error: errorMessage(error) })
    }
    await pause(RETAIN_EVERY_MS, signal, clock)
  }
}
