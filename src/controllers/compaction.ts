import type { TimerClock } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import { pause } from '../lib/pause.ts'
import { type Backend, BackendError } from '../storage/backend.ts'
import type { Key, Revision } from '../storage/revision.ts'
import type { StoreHistory } from '../storage/store-history.ts'

/** Limit for each call to the store. */
const DEADLINE_MS = 30_000

/**
 * Returns a function that compacts the store up to its current revision, if the store was new. No client has seen a
 * revision from before, so the history of the initial objects is useless. Call it before anything is written. The
 * function resolves with the compacted revision, or with undefined if the store was not new or the user may not compact
 * it. @param before a key that may already have been written, as the only one.
 */
export function newStore(backend: Backend, before: Key, signal: AbortSignal): () => Promise<Revision | undefined> {
  const first = withDeadline(signal, DEADLINE_MS, within => backend.get(before, within)).catch(() => undefined)
  return async () => {
    const found = await first
    // The first write creates revision EMPTY + 1. Only `before` may have been written.
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

/** Revision of an empty store. */
const EMPTY = 1

const isDenied = (error: unknown): boolean => error instanceof BackendError && error.code === 'denied'

/** Options of the compaction of a store. */
export interface Compaction {
  readonly backend: Backend
  readonly logger: Logger
  /** Time between compactions, and age of the revision up to which the store is compacted. */
  readonly intervalMs: number
  readonly clock: TimerClock
}

/**
 * Stores whose user may not compact them, which was logged. The controller starts again when its server is elected
 * again.
 */
const denied = new WeakSet<Backend>()

/**
 * Compacts the store to the revision of one interval ago, as kube-apiserver does, so that at least one interval of
 * history is kept. If the user of the store has no permission to compact, logs that once and leaves it to others.
 */
export async function compactHistory({ backend, logger, intervalMs, clock }: Compaction, signal: AbortSignal): Promise<void> {
  let previous: Revision | undefined
  while (!signal.aborted) {
    try {
      const now = await withDeadline(signal, DEADLINE_MS, within => backend.currentRevision(within))
      if (previous !== undefined) {
        const before = previous
        await withDeadline(signal, DEADLINE_MS, within => backend.compact(before, within))
        logger.debug(2, 'compacted the store', { before })
      }
      previous = now
    } catch (error) {
      if (isDenied(error)) {
        if (!denied.has(backend)) logger.info('this server does not compact the store: its user has no permission to write compact_rev_key')
        denied.add(backend)
      } else if (!signal.aborted) logger.warn('cannot compact the store', { error: errorMessage(error) })
    }
    await pause(intervalMs, signal, clock)
  }
}

/** Options of history retention. */
export interface Retention {
  readonly history: StoreHistory
  readonly logger: Logger
  /** Age at which revisions are dropped. */
  readonly keptMs: number
  /** Size above which the oldest revisions are dropped. */
  readonly maxBytes: number
  readonly clock: TimerClock
}

/** Interval between checks of age and size, in milliseconds. */
const RETAIN_EVERY_MS = 10_000

/** Drops history that is older than `keptMs`, and the oldest if it exceeds `maxBytes`. */
export async function retainHistory({ history, logger, keptMs, maxBytes, clock }: Retention, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const oldest = await history.retain(clock.now() - keptMs, maxBytes)
      logger.debug(2, 'trimmed the history', { oldest })
    } catch (error) {
      if (!signal.aborted) logger.warn('cannot compact the store', { error: errorMessage(error) })
    }
    await pause(RETAIN_EVERY_MS, signal, clock)
  }
}
