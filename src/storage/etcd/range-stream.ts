import { onAbort } from '../../lib/on-abort.ts'
import { callFailureOf, Status } from '../../protocols/grpc/call-failure.ts'
import type { MessageStream } from '../../protocols/grpc/message-stream.ts'
import { type Backend, BackendError, type RangePage, type StreamedRange } from '../backend.ts'
import type { EtcdConnection } from './connection.ts'
import { backendError } from './errors.ts'
import { decodeLongRangePart, encodeRange } from './messages.ts'

/**
 * Time after which a cluster that lacked the call is asked again: its members may have been upgraded. Source:
 * rangeStreamRecheckInterval of k8s.io/apiserver.
 */
const RECHECK_MS = 10 * 60_000

type Connection = Pick<EtcdConnection, 'deadline' | 'rangeStream'>

/**
 * Returns the method that reads a range with RangeStream, which etcd has since 3.7. As in kube-apiserver, the call is
 * tried, and not again for some time if a member does not implement it. `now`: a clock in milliseconds.
 */
export function etcdRangeStream(connection: Connection, now: () => number = () => performance.now()): NonNullable<Backend['rangeStream']> {
  let unsupportedAt = Number.NEGATIVE_INFINITY
  return (query, signal) =>
    now() - unsupportedAt < RECHECK_MS
      ? undefined
      : streamedRange(connection, query, signal, () => {
          unsupportedAt = now()
        })
}

/**
 * Yields the pages of one call. A page is held until the next one arrives, because `more` of the last page must be the
 * server's.
 */
async function* streamedRange(
  connection: Connection,
  query: StreamedRange,
  signal: AbortSignal,
  onUnsupported: () => void,
): AsyncGenerator<RangePage, void> {
  const stream = await connection.rangeStream({ signal, deadline: connection.deadline() })
  const forget = onAbort(signal, () => stream.close())
  try {
    stream.send(encodeRange(query), true)
    /** Only the end of the stream shows that a page is the last. */
    let held: RangePage | undefined
    for await (const bytes of timelyParts(stream, connection)) {
      const { items, more } = await decodeLongRangePart(bytes)
      if (held) yield { ...held, more: true }
      held = { items, revision: query.at, more }
    }
    if (held) yield held
  } catch (error) {
    if (error instanceof BackendError) throw error
    const failure = callFailureOf(error)
    if (failure.code === Status.UNIMPLEMENTED) onUnsupported()
    throw backendError(failure, signal)
  } finally {
    forget()
    stream.close()
  }
}

/**
 * Iterates over a stream's messages. Throws BackendError with `timeout` if one does not come within the time of a call.
 * The time that the reader takes does not count.
 */
async function* timelyParts(stream: MessageStream, connection: Connection): AsyncGenerator<Buffer, void> {
  const messages = stream[Symbol.asyncIterator]()
  let isLate = false
  for (;;) {
    const timer = setTimeout(() => {
      isLate = true
      stream.close()
    }, connection.deadline() - Date.now())
    try {
      const next = await messages.next()
      if (next.done) return
      clearTimeout(timer)
      yield next.value
    } catch (error) {
      throw isLate ? new BackendError('timeout', 'the store sent no further part of a list in time', { cause: error }) : error
    } finally {
      clearTimeout(timer)
    }
  }
}
