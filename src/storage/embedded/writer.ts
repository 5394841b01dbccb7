import type { Clock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { BackendEvent, GuardedWrite, KeyValue, WriteResult } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { type Key, NO_REVISION, type Revision, revisionAfter } from '../revision.ts'
import type { Tables } from './environment.ts'
import type { FullDisk } from './full-disk.ts'
import type { LatestEntry } from './layout.ts'
import { DELETION_RECORD, encodeLatest, encodeRecord, expiryKey, numberBytes, PUT_RECORD, recordValue } from './layout.ts'
import { changeAt, keyBytes, latestOf, newestOf } from './reader.ts'
import { type LastStamp, lastStamp, nextStamp, nextStampTime } from './stamps.ts'
import { metaRevision, setMeta } from './tables.ts'

/**
 * Limits of one commit, in writes and bytes. Further writes wait for the next one. A group is written in one step, so
 * this bounds how long it blocks the event loop.
 */
const GROUP_WRITES = 256
const GROUP_BYTES = 4 << 20

/** Number of queued writes. Further ones are rejected. */
const QUEUE_BOUND = 65_536

/** A queued write. */
interface Pending {
  readonly key: Key
  readonly keyBytes: Buffer
  readonly write: GuardedWrite
  /** Milliseconds since 1970 at which the key expires. Undefined if it has no time to live. */
  readonly deadline: number | undefined
  /** An entry of `expiry` that this write removes, whatever its outcome. */
  readonly settles: Buffer | undefined
  readonly signal: AbortSignal | undefined
  resolve(result: WriteResult): void
  reject(error: BackendError): void
}

/** A change of the group. */
interface Staged {
  readonly pending: Pending
  /** Revision of the change. Those of a group are consecutive. */
  readonly revision: Revision
  /** Row of `latest` or `deleted` that the change writes. */
  readonly entry: LatestEntry
  /** Row of `log` that the change writes. */
  readonly record: Buffer
}

/** Writes of one commit. */
interface CommitGroup {
  /** All writes of the group, including those whose precondition failed. */
  readonly taken: readonly Pending[]
  /** Results in the order of the writes. They are reported after the commit. */
  readonly results: readonly { readonly pending: Pending; readonly result: WriteResult }[]
  /** Changes to store, with consecutive revisions. A write of a stale key has none. */
  readonly staged: readonly Staged[]
  /** Events of the staged changes, in the same order. */
  readonly changes: readonly CommittedChange[]
  /** Newest revision after the group. */
  readonly revision: Revision
  /** Stamp of the last change; undefined if changes have none. */
  readonly stamp: LastStamp | undefined
}

/** A committed change. */
export interface CommittedChange {
  /** Event for watchers. Its value is a view of the stored record. */
  readonly event: BackendEvent
  /** The mod revision of the value that it replaced or deleted; 0 if there was none. */
  readonly replaced: Revision
}

/** Dependencies of the writer. */
export interface WriterOptions {
  readonly tables: Tables
  /** Clock of the stamps. */
  readonly clock: Clock
  /** Consulted before values are written. Omitted for a store in memory. */
  readonly disk: FullDisk | undefined
  /** Optional. Called within the commit, before a key is changed or deleted. */
  replacing?(key: Buffer): void
  /** Called when the group is on disk, before its writes resolve. */
  committed(changes: readonly CommittedChange[], revision: Revision): void
}

/** The queue of guarded writes. Each resolves when its commit is on disk. */
export interface Writer {
  /**
   * Queues a write. `deadline`: when the key expires, in milliseconds since 1970. `settles`: see `Pending`. `signal`:
   * if it has aborted when the write is taken into a group, the write is rejected. Rejects with BackendError
   * `unavailable` if the queue is full or the commit fails.
   */
  write(write: GuardedWrite, options: { deadline?: number; settles?: Buffer; signal?: AbortSignal }): Promise<WriteResult>
  /** Resolves when no write is queued or being committed. Later writes fail. */
  close(): Promise<void>
}

/**
 * Creates the only writer of a store. Writes that arrive during a commit form the next group: one commit and one sync
 * for all of them. A group is checked completely before its first put, and fails as a whole.
 */
export function openWriter(options: WriterOptions): Writer {
  const queue: Pending[] = []
  let running: Promise<void> | undefined
  let closed = false
  let stamp = lastStamp(options.tables)

  /**
   * Commits one group, then notifies watchers, then the callers: a caller that reads after its write finds watchers
   * informed of it.
   */
  async function commitNext(): Promise<void> {
    let group: CommitGroup | undefined
    let taken: readonly Pending[] = []
    try {
      group = await options.tables.commit(() => {
        taken = take(queue)
        return writeGroup(options, taken, stamp)
      })
    } catch (cause) {
      // If the transaction could not start, nothing was taken. Queued writes are failed, because retrying them would
      // loop forever.
      if (taken.length === 0) taken = queue.splice(0)
      const error = new BackendError('unavailable', `the store cannot commit: ${errorMessage(cause)}`, { cause })
      for (const pending of taken) pending.reject(error)
      return
    }
    stamp = group.stamp
    if (group.changes.length > 0) options.committed(group.changes, group.revision)
    for (const { pending, result } of group.results) pending.resolve(result)
  }

  /**
   * Commits until the queue is empty. `running` is cleared in the same step, so that the next write starts a new run.
   */
  async function run(): Promise<void> {
    try {
      while (queue.length > 0) await commitNext()
    } finally {
      running = undefined
    }
  }

  return {
    write(write, { deadline, settles, signal }) {
      if (closed) return Promise.reject(new BackendError('unavailable', 'the store is closed'))
      if (queue.length >= QUEUE_BOUND) return Promise.reject(new BackendError('unavailable', 'too many writes are waiting'))
      return new Promise((resolve, reject) => {
        queue.push({ key: write.key, keyBytes: keyBytes(write.key), write, deadline, settles, signal, resolve, reject })
        running ??= run()
      })
    },
    async close() {
      closed = true
      await running
    },
  }
}

/**
 * Takes the next group from the queue, bounded in number and bytes. Writes whose client has left are rejected instead.
 */
function take(queue: Pending[]): Pending[] {
  const taken: Pending[] = []
  let bytes = 0
  let used = 0
  for (const pending of queue) {
    if (taken.length === GROUP_WRITES || bytes >= GROUP_BYTES) break
    used++
    if (pending.signal?.aborted) pending.reject(new BackendError('aborted', 'the write was aborted before it began'))
    else {
      taken.push(pending)
      bytes += pending.write.value?.length ?? 0
    }
  }
  queue.splice(0, used)
  return taken
}

/**
 * Checks a group and stores its changes, within a transaction that the caller has opened. Throws CommitFailure if the
 * disk is too full.
 */
function writeGroup(options: WriterOptions, taken: readonly Pending[], stamp: LastStamp | undefined): CommitGroup {
  const group = checkGroup(options.tables, taken, stamp, options.clock)
  const bytes = bytesAdded(group)
  // A deletion mostly uses free pages, and frees others.
  if (bytes > 0) options.disk?.check(bytes)
  if (options.replacing) for (const { pending } of group.staged) options.replacing(pending.keyBytes)
  putGroup(options.tables, group)
  return group
}

/** Decides on the writes of a group in order, each on the result of those before it. Writes nothing. */
function checkGroup(tables: Tables, taken: readonly Pending[], last: LastStamp | undefined, clock: Clock): CommitGroup {
  let newest = metaRevision(tables, 'revision')
  let stamp = last
  const first = revisionAfter(newest)
  const time = last === undefined ? 0 : nextStampTime(last, clock)
  const staged: Staged[] = []
  const recordOf = (revision: Revision): Buffer | undefined =>
    staged[revision - first]?.record ?? tables.log.getBinaryFast(numberBytes(revision))
  const byKey = new Map<string, Staged>()
  const changes: CommittedChange[] = []
  const decide = (pending: Pending): WriteResult => {
    const { key, write } = pending
    const earlier = byKey.get(key)
    const entry = earlier?.entry ?? (stamp === undefined ? latestOf : newestOf)(tables, pending.keyBytes)
    const current = (): KeyValue | undefined => {
      if (!entry?.live) return undefined
      if (!earlier) return changeAt(tables, key, entry.modRevision)
      const { modRevision, createRevision } = entry
      return { key, value: recordValue(earlier.record), modRevision, createRevision }
    }
    if ((entry?.live ? entry.modRevision : 0) !== write.expected) return { ok: false, current: current(), revision: newest }
    if (write.value === undefined && !entry?.live) return { ok: true, revision: newest }
    newest = revisionAfter(newest)
    const modRevision = newest
    const live = write.value !== undefined
    const createRevision = live ? (entry?.live ? entry.createRevision : modRevision) : NO_REVISION
    const before = entry?.modRevision ?? NO_REVISION
    const size = pending.keyBytes.length + (write.value?.length ?? 0)
    const next = stamp && nextStamp(stamp, time, { before, isDeletion: !live, size, recordOf })
    stamp = next
    const record = encodeRecord(
      { kind: live ? PUT_RECORD : DELETION_RECORD, createRevision, before, stamp: next },
      pending.keyBytes,
      write.value,
    )
    const change = { pending, revision: modRevision, entry: { modRevision, createRevision, live }, record }
    staged.push(change)
    byKey.set(key, change)
    const event = { key, modRevision, createRevision }
    changes.push({
      event: live ? { type: 'put', ...event, value: recordValue(record) } : { type: 'delete', ...event },
      replaced: entry?.live ? entry.modRevision : NO_REVISION,
    })
    return { ok: true, revision: modRevision }
  }
  const results = taken.map(pending => ({ pending, result: decide(pending) }))
  return { taken, results, staged, changes, revision: newest, stamp }
}

/** Returns the bytes of values in a group; 0 for a group of deletions. */
const bytesAdded = ({ taken, changes }: CommitGroup): number =>
  changes.length === 0 ? 0 : taken.reduce((sum, { write }) => sum + (write.value?.length ?? 0), 0)

/** Writes within a transaction that the caller has opened. Either all of the group is stored or nothing. */
function putGroup(tables: Tables, group: CommitGroup): void {
  for (const { pending, revision, entry, record } of group.staged) {
    tables.log.putSync(numberBytes(revision), record)
    if (group.stamp === undefined) tables.latest.putSync(pending.keyBytes, encodeLatest(entry))
    else putEntry(tables, pending.keyBytes, entry)
    if (entry.live && pending.deadline !== undefined) tables.expiry.putSync(expiryKey(pending.deadline, revision), pending.keyBytes)
  }
  for (const { settles } of group.taken) if (settles) tables.expiry.removeSync(settles)
  if (group.staged.length > 0) setMeta(tables, 'revision', group.revision)
}

/** Writes the entry of a key in a store that keeps history. A deleted key is in `deleted` until it is created again. */
function putEntry(tables: Tables, key: Buffer, entry: LatestEntry): void {
  const [to, from] = entry.live ? [tables.latest, tables.deleted] : [tables.deleted, tables.latest]
  to.putSync(key, encodeLatest(entry))
  if (!entry.live || entry.createRevision === entry.modRevision) from.removeSync(key)
}
