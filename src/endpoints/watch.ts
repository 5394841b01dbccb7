import { LONGEST_TIMER_MS } from '../lib/clock.ts'
import { SharedBytes } from '../lib/shared-bytes.ts'
import { internalServerError, StatusError, serviceUnavailableError } from '../meta/status.ts'
import { toStatus } from '../registry/errors.ts'
import { groupResourceOf } from '../registry/types.ts'
import type { StorageEvent } from '../storage/storage.ts'
import type { StreamWriter } from './exchange.ts'
import type { Framing } from './forms/framing.ts'
import type { ReadOptions } from './list-options.ts'
import type { Scope } from './scope.ts'
import { storeOf } from './scope.ts'
import { WatchWriter } from './watch-writing.ts'
import { asksWebSocket } from './web-socket/handshake.ts'
import { openSocketStream } from './web-socket/stream.ts'

/** Shared by all watches: if a thousand end at once, a stack trace for each would hold the event loop. */
const OVER = new DOMException('The watch is over', 'AbortError')

/**
 * Streams events until the client disconnects, the timeout expires, the server shuts down or the watch falls behind. As
 * upstream, an error of opening the watch takes precedence over one of negotiation: `frame` may throw.
 */
export async function watch(scope: Scope<'watch'>, options: ReadOptions, frame: () => Framing): Promise<void> {
  const { exchange, env } = scope
  // A negative timeout ends the watch immediately; 0 leaves the timeout to the server.
  const seconds = options.timeoutSeconds ? Math.max(options.timeoutSeconds, 0) : env.minRequestTimeoutSeconds * (1 + Math.random())
  const { clock } = env
  const begun = clock.steady.now()
  const meter = env.watchMetrics?.meter(scope.served.version, scope.namespace, watchedName(options))
  // The bookmark after the initial events is only sent to clients that allow bookmarks.
  let awaitsEnd = meter !== undefined && options.allowWatchBookmarks
  const { over, end, forget } = endOf(scope, seconds)
  try {
    const deadline = clock.steady.now() + seconds * 1000
    const opened = await storeOf(scope)
      .watch(scope.served, scope.namespace, { deadline, ...options }, over.signal)
      .catch(eventStatus)
    const watcher = exchange.disturbed === undefined || opened instanceof StatusError ? opened : exchange.disturbed(opened)
    const unused = () => {
      if (!(watcher instanceof StatusError)) watcher.close()
    }
    const framing = attempt(frame, unused)
    const writer = asksWebSocket(exchange)
      ? openSocketStream(exchange, framing.messages, end)
      : exchange.stream(200, framing.contentType, env.compressesWatchLists === true && isWatchList(options))
    if (writer === undefined) return unused()
    if (watcher instanceof StatusError) {
      // An expired or unreachable resourceVersion, or a state that cannot be read, is reported in the stream, like a
      // compaction while it is open.
      writer.write(new SharedBytes([framing.error(watcher)]))
      return finishStream(writer)
    }
    if (seconds === 0) {
      watcher.close()
      return finishStream(writer)
    }
    const events = new WatchWriter({ writer, framing, output: env.watchOutput, meter, signal: over.signal })
    try {
      const take = (batch: readonly StorageEvent[], own?: boolean): boolean | Promise<boolean> => {
        const written = events.write(batch, own === true)
        if (awaitsEnd && endsInitialEvents(batch)) {
          awaitsEnd = false
          meter?.initialEventsSent((clock.steady.now() - begun) / 1000)
        }
        // A promise only if needed: this runs for every watcher.
        if (written === true) return true
        return Promise.resolve(written).then(taken => {
          if (!taken && events.isStalled) watcher.close(true)
          return taken
        })
      }
      await watcher.deliver(take, undefined, () => exchange.ctx.watchInitialized?.())
    } catch (error) {
      if (!over.signal.aborted) writer.write(new SharedBytes([framing.error(streamError(scope, options, error))]))
    } finally {
      watcher.close()
      finishStream(writer)
    }
  } finally {
    forget()
  }
}

interface WatchEnd {
  /** Aborts when the watch is over. */
  readonly over: AbortController
  /** Ends the watch. */
  end(): void
  /** Stops listening to the timer, the client and the server. */
  forget(): void
}

/**
 * Ends a watch after some seconds, when its client disconnects, or when the server shuts down. One of 0 seconds is
 * opened all the same, and ended by the caller.
 */
function endOf({ exchange, env }: Scope<'watch'>, seconds: number): WatchEnd {
  const over = new AbortController()
  const end = () => over.abort(OVER)
  const timer = seconds === 0 ? undefined : env.clock.after(Math.min(seconds * 1000, LONGEST_TIMER_MS), end)
  const signals = [exchange.ctx.signal, env.shutdown]
  for (const signal of signals) signal.addEventListener('abort', end, { once: true })
  // A signal that is already aborted calls no listener.
  if (signals.some(signal => signal.aborted)) end()
  const forget = (): void => {
    timer?.close()
    for (const signal of signals) signal.removeEventListener('abort', end)
  }
  return { over, end, forget }
}

/** Returns the result of `make`. Calls `undo` if it throws. */
function attempt<T>(make: () => T, undo: () => void): T {
  try {
    return make()
  } catch (error) {
    undo()
    throw error
  }
}

const watchedName = ({ fields }: ReadOptions): string =>
  fields.find(({ field, op }) => field === 'metadata.name' && op === '=')?.value ?? ''

function endsInitialEvents(batch: readonly StorageEvent[]): boolean {
  const last = batch.at(-1)
  return last?.type === 'bookmark' && last.initialEnd
}

/** Reports whether the watch begins with the current objects and ends them with a bookmark. */
const isWatchList = ({ sendInitialEvents, allowWatchBookmarks }: ReadOptions): boolean => sendInitialEvents === true && allowWatchBookmarks

/** Reasons of an error because the state cannot be read. */
const UNREADABLE = ['InternalError', 'StorageReadError']

function eventStatus(error: unknown): StatusError {
  if (error instanceof StatusError && (error.code === 410 || UNREADABLE.includes(error.reason) || error.reason === 'Timeout')) return error
  throw error
}

const finishStream = (writer: StreamWriter): void => {
  if (writer.open) writer.end()
}

/** Returns the Status of an error in the stream. An expired resourceVersion becomes an ERROR event with 410. */
function streamError(scope: Scope<'watch'>, options: ReadOptions, error: unknown): StatusError {
  const status = toStatus(error, {
    gr: groupResourceOf(scope.served),
    name: '',
    verb: 'watch',
    wanted: options.resourceVersion,
    cached: storeOf(scope).storage.cached,
  })
  if (status instanceof StatusError) return status
  return error instanceof Error ? internalServerError(error.message) : serviceUnavailableError('the watch has ended')
}
