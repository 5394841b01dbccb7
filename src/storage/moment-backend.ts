import { untilAborted } from '../lib/on-abort.ts'
import { type Backend, type BackendBatch, BackendError, type BackendWatch } from './backend.ts'
import type { Revision } from './revision.ts'

/**
 * A read-only view of a store at a revision. Watches deliver changes up to it and then stay silent until they are
 * cancelled. Reads fail with `compacted` once the store has compacted the revision. Closing the view leaves the store
 * open.
 */
export const momentBackend = (store: Backend, at: Revision): Backend => ({
  async get(key, signal, before = at) {
    const { item } = await store.get(key, signal, reached(before, at))
    return { item, revision: at }
  },
  range: async (query, signal) => ({ ...(await store.range({ ...query, at: reached(query.at ?? at, at) }, signal)), revision: at }),
  write: () => Promise.reject(new BackendError('unavailable', 'the past cannot be changed')),
  watch: (watch, signal) => pastWatch(store, at, watch, signal),
  currentRevision: async () => at,
  compact: async () => {},
  check: signal => store.check(signal),
  size: signal => store.size(signal),
  close: async () => {},
})

function reached(wanted: Revision, at: Revision): Revision {
  if (wanted > at) throw new BackendError('future', `revision ${wanted} is later than the newest, ${at}`)
  return wanted
}

/**
 * Yields the events up to the moment and then stays open until the signal aborts, as a watch in which nothing happens
 * any more.
 */
async function* pastWatch(
  store: Backend,
  at: Revision,
  watch: BackendWatch,
  signal: AbortSignal,
): AsyncGenerator<BackendBatch, void, undefined> {
  if (watch.from !== 0 && watch.from <= at) {
    for await (const batch of store.watch(watch, signal)) {
      const events = batch.events.filter(({ modRevision }) => modRevision <= at)
      const isOver = batch.revision >= at
      yield { events, revision: isOver ? at : batch.revision }
      if (isOver) break
    }
  } else watch.onOpen?.()
  await untilAborted(signal)
}
