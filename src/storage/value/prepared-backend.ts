import { invariant } from '../../lib/invariant.ts'
import type { Backend, BackendBatch, BackendFork, KeyValue } from '../backend.ts'
import type { StoreHistory } from '../store-history.ts'

/**
 * Makes a key management service decrypt the data key of a stored value. Undefined if the key is known. Never rejects.
 */
export type Prepare = (stored: Buffer) => Promise<void> | undefined

/**
 * Wraps a store so that its values are returned when their data keys are known. Readers decrypt values synchronously,
 * which cannot wait for a key management service. Values whose key cannot be decrypted are returned, too, and fail when
 * they are read.
 */
export const preparedBackend = (backend: Backend, prepare: Prepare): Backend => ({
  ...preparedCalls(backend, prepare),
  ...(backend.snapshot && { snapshot: backend.snapshot.bind(backend) }),
  ...(backend.history && { history: preparedHistory(backend.history, prepare) }),
  async range({ visit: _, ...query }, signal) {
    const page = await backend.range(query, signal)
    await prepareAll(itemValues(page.items), prepare)
    return page
  },
  watch: (watch, signal) => preparedBatches(backend.watch(watch, signal), prepare),
  ...(backend.watchProof && { watchProof: backend.watchProof.bind(backend) }),
  currentRevision: signal => backend.currentRevision(signal),
  compact: (before, signal) => backend.compact(before, signal),
  check: signal => backend.check(signal),
  size: signal => backend.size(signal),
  ...(backend.fork && { fork: async (options, signal) => preparedFork(await forked(backend, options, signal), prepare) }),
  close: () => backend.close(),
})

function forked(backend: Backend, ...[options, signal]: Parameters<NonNullable<Backend['fork']>>): Promise<BackendFork> {
  invariant(backend.fork, 'the store can be forked')
  return backend.fork(options, signal)
}

const preparedFork = (fork: BackendFork, prepare: Prepare): BackendFork => ({
  ...preparedBackend(fork, prepare),
  forkedAt: fork.forkedAt,
  bytes: () => fork.bytes(),
  changed: start => fork.changed(start),
})

/** Wraps a store like `preparedBackend`, for clients that read and write single keys. */
export const preparedCalls = (backend: Pick<Backend, 'get' | 'write'>, prepare: Prepare): Pick<Backend, 'get' | 'write'> => ({
  async get(key, signal, at) {
    const got = await backend.get(key, signal, at)
    if (got.item) await prepare(got.item.value)
    return got
  },
  async write(write, signal) {
    const result = await backend.write(write, signal)
    if (!result.ok && result.current) await prepare(result.current.value)
    return result
  },
})

const preparedHistory = (history: StoreHistory, prepare: Prepare): StoreHistory => ({
  oldest: () => history.oldest(),
  momentAt: time => history.momentAt(time),
  timeOf: revision => history.timeOf(revision),
  async changes(key, query, signal) {
    const page = await history.changes(key, query, signal)
    await prepareAll(
      page.changes.flatMap(({ value }) => value ?? []),
      prepare,
    )
    return page
  },
  size: () => history.size(),
  retain: (since, mostBytes) => history.retain(since, mostBytes),
})

function* itemValues(items: readonly KeyValue[]): Generator<Buffer> {
  for (const { value } of items) yield value
}

/** Prepares all values concurrently, with one call per key. */
async function prepareAll(values: Iterable<Buffer>, prepare: Prepare): Promise<void> {
  const waiting = new Set<Promise<void>>()
  for (const value of values) {
    const pending = prepare(value)
    if (pending) waiting.add(pending)
  }
  if (waiting.size > 0) await Promise.all(waiting)
}

async function* preparedBatches(batches: AsyncIterable<BackendBatch>, prepare: Prepare): AsyncGenerator<BackendBatch> {
  for await (const batch of batches) {
    await prepareAll(valuesIn(batch), prepare)
    yield batch
  }
}

function* valuesIn({ events }: BackendBatch): Generator<Buffer> {
  for (const { value, previous } of events) {
    if (value) yield value
    if (previous) yield previous.value
  }
}
