import { onAbort } from '../../lib/on-abort.ts'
import { TokenBucket } from '../../lib/token-bucket.ts'
import { callFailureOf } from '../../protocols/grpc/call-failure.ts'
import type { BackendBatch, BackendEvent, BackendWatch } from '../backend.ts'
import { BackendError } from '../backend.ts'
import { type Revision, revisionAfter } from '../revision.ts'
import type { EtcdConnection } from './connection.ts'
import { backendError } from './errors.ts'
import type { WatchResponse } from './messages.ts'
import { decodeLongWatch, decodeWatch, encodeWatchCreate, PROGRESS_REQUEST } from './messages.ts'

/** Source: rpctypes.ErrPermissionDenied. */
const PERMISSION_DENIED = 'etcdserver: permission denied'

/** Size in bytes above which responses are decoded in steps. */
const SHORT_BYTES = 64 * 1024
/** Rate limit on responses without events. The caches request progress at most every 10 ms. */
const IDLE_RESPONSES = { burst: 1000, perSecond: 200 }
/**
 * Limit on the events of one revision. A transaction of etcd has up to 128 operations, unless a flag raises the limit.
 */
const MOST_EVENTS = 100_000

/**
 * Creates a function that reassembles revisions. etcd sends a large response in fragments, which may split a revision:
 * the last revision of a fragment is held back until the next response completes it. A response without events is
 * progress, except the response to the creation of the watch. The header revision of other responses is the store's,
 * which may be later than that of events to come. Throws a BackendError if a revision exceeds the limit on its events.
 */
export function reassemble(): (response: Pick<WatchResponse, 'events' | 'fragment' | 'created' | 'revision'>) => BackendBatch | undefined {
  let held: BackendEvent[] = []
  return ({ events, fragment, created, revision }) => {
    if (held.length > MOST_EVENTS) throw new BackendError('unavailable', 'a revision of etcd has too many events')
    let whole = events
    if (held.length > 0) {
      whole = held
      for (const event of events) whole.push(event)
      held = []
    }
    const last = whole.at(-1)
    if (fragment && last !== undefined) {
      const from = whole.findIndex(event => event.modRevision === last.modRevision)
      // Not copied: a revision may arrive in very many fragments.
      held = from === 0 ? whole : whole.slice(from)
      whole = whole.slice(0, from)
    }
    const newest = whole.at(-1)
    if (newest === undefined) return events.length === 0 && !created ? { events: whole, revision } : undefined
    return { events: whole, revision: newest.modRevision }
  }
}

/**
 * Creates a function that removes events before `from`, and those that an earlier batch had. kine on NATS may repeat
 * the first events of a watch, and a member of etcd that does not have `from` yet begins earlier. Returns undefined if
 * all events of a batch were removed.
 */
export function eachOnce(from: Revision): (batch: BackendBatch) => BackendBatch | undefined {
  let next = from
  return batch => {
    const { events, revision } = batch
    const first = events[0]
    if (first === undefined) return batch
    const due = first.modRevision < next ? events.filter(({ modRevision }) => modRevision >= next) : events
    if (due.length === 0) return undefined
    next = revisionAfter(revision)
    return due === events ? batch : { events: due, revision }
  }
}

/**
 * Runs one watch on a stream of its own. It never resumes by itself: the reader knows the last revision that it
 * received.
 */
export async function* watchEtcd(
  connection: Pick<EtcdConnection, 'deadline' | 'watchStream' | 'watchFailed'>,
  watch: BackendWatch,
  signal: AbortSignal,
): AsyncGenerator<BackendBatch, void, undefined> {
  if (signal.aborted) return
  const deadline = connection.deadline()
  const stream = await connection
    .watchStream({ signal, deadline, isProgressTrusted: watch.progress === true })
    .catch((error: BackendError) => {
      if (signal.aborted) return undefined
      throw error
    })
  if (!stream) return
  let late = false
  const opening = setTimeout(() => {
    late = true
    stream.close()
  }, deadline - Date.now())
  const forget = onAbort(signal, () => stream.close())
  try {
    if (signal.aborted) return
    stream.send(encodeWatchCreate(watch))
    const whole = reassemble()
    const once = eachOnce(watch.from)
    const idle = new TokenBucket(IDLE_RESPONSES.burst, IDLE_RESPONSES.perSecond)
    for await (const bytes of stream) {
      const response = bytes.length <= SHORT_BYTES ? decodeWatch(bytes) : await decodeLongWatch(bytes)
      if (response.canceled) throw canceled(response)
      if (response.events.length === 0 && !idle.take())
        throw new BackendError('unavailable', 'etcd sends too many responses without events')
      if (response.created) {
        clearTimeout(opening)
        watch.onOpen?.(watch.progress ? () => stream.send(PROGRESS_REQUEST) : undefined)
      }
      const reassembled = whole(response)
      const batch = reassembled && once(reassembled)
      if (batch && (batch.events.length > 0 || watch.progress)) yield batch
      if (signal.aborted) return
    }
    if (!signal.aborted) throw new BackendError('unavailable', 'etcd ended the watch')
  } catch (error) {
    if (signal.aborted) return
    const failure = late ? new BackendError('timeout', 'etcd did not accept the watch in time') : backendErrorOf(error, signal)
    if (failure.code === 'unavailable' || failure.code === 'timeout') connection.watchFailed(stream)
    throw failure
  } finally {
    clearTimeout(opening)
    forget()
    stream.close()
  }
}

const backendErrorOf = (error: unknown, signal: AbortSignal): BackendError =>
  error instanceof BackendError ? error : backendError(callFailureOf(error), signal)

/** Converts etcd's cancellation of a watch: its start is compacted, or a member has lost its leader, for example. */
function canceled({ compactRevision, cancelReason }: WatchResponse): BackendError {
  if (compactRevision > 0) return new BackendError('compacted', 'the start of the watch is compacted', { compactRevision })
  const code = cancelReason.endsWith(PERMISSION_DENIED) ? 'denied' : 'unavailable'
  return new BackendError(code, `etcd canceled the watch: ${cancelReason || 'no reason given'}`)
}
