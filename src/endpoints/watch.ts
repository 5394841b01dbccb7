import { setTimeout as sleep } from 'node:timers/promises'
import { steadyClock } from '../lib/clock.ts'
import { internalServerError, StatusError, serviceUnavailableError } from '../meta/status.ts'
import { toStatus } from '../registry/errors.ts'
import { groupResourceOf } from '../registry/types.ts'
import type { StorageEvent, StoredObject } from '../storage/storage.ts'
import type { Exchange, StreamWriter } from './exchange.ts'
import type { ReadOptions } from './list-options.ts'
import type { Scope } from './scope.ts'
import { storeOf } from './scope.ts'
import { asksWebSocket } from './web-socket/handshake.ts'
import { type MessageForm, openSocketStream } from './web-socket/stream.ts'

/** How one watch turns events into frames. Frames of one event are shared by all watches of the same framing. */
export interface Framing {
  readonly contentType: string
  /** As messages of a WebSocket. */
  readonly messages: MessageForm
  /** Frames are shared between watches with the same id; undefined: never. */
  readonly id: string | undefined
  /** Undefined: the form cannot show an object, and the stream ends. */
  object(type: string, object: StoredObject): Buffer | undefined
  /** A bookmark of the served kind at the revision. */
  bookmark(resourceVersion: string, initialEnd: boolean): Buffer
  error(error: StatusError): Buffer
}

/** One for all: stack traces of a thousand watches that end at once would hold the event loop. */
const OVER = new DOMException('The watch is over', 'AbortError')
const EVENT_TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const

/**
 * Streams events until the client goes, the time is over, the server shuts down or the watch falls behind. As upstream, a watch that cannot be opened is refused before its form is looked at: `frame`
 * may throw.
 */
export async function watch(scope: Scope, options: ReadOptions, frame: () => Framing): Promise<void> {
  const { exchange, env } = scope
  const seconds =
    options.timeoutSeconds !== undefined && options.timeoutSeconds > 0 ? options.timeoutSeconds : env.minRequestTimeoutSeconds * (1 + Math.random())
  const begun = steadyClock.now()
  const meter = env.watchMetrics?.meter(scope, watchedName(options))
  // Only who wants bookmarks gets the one that ends the initial events.
  let awaitsEnd = meter !== undefined && options.allowWatchBookmarks
  const over = new AbortController()
  const end = () => over.abort(OVER)
  const timer = setTimeout(end, Math.min(seconds * 1000, 2 ** 31 - 1))
  timer.unref()
  exchange.ctx.signal.addEventListener('abort', end, { once: true })
  env.shutdown.addEventListener('abort', end, { once: true })
  try {
    const deadline = steadyClock.now() + seconds * 1000
    const watcher = await storeOf(scope)
      .watch(scope.served, scope.namespace, { ...options, deadline }, over.signal)
      .catch(toldInside)
    const unused = () => {
      if (!(watcher instanceof StatusError)) watcher.close()
    }
    const framing = attempt(frame, unused)
    const writer = streamTo(exchange, framing, end)
    if (writer === undefined) return unused()
    if (watcher instanceof StatusError) {
      // A start that is gone, or not reached in time, or a state that can't be read, is told inside the stream, as one that goes while the stream is open.
      writer.write([framing.error(watcher)])
      return finishStream(writer)
    }
    try {
      await watcher.deliver(batch => {
        const shown = framesOfBatch(framing, batch)
        meter?.sent(shown)
        if (awaitsEnd && endsInitialEvents(batch)) {
          awaitsEnd = false
          meter?.initialEventsSent((steadyClock.now() - begun) / 1000)
        }
        // No promise where none is needed: this is done for every watcher.
        const written = writeAll(writer, shown, over.signal)
        if (written === true && shown.length === batch.length) return true
        return Promise.resolve(written).then(taken => {
          if (!taken && isStalled(writer, over.signal)) watcher.close(true)
          return taken && shown.length === batch.length
        })
      })
    } catch (error) {
      if (!over.signal.aborted) writer.write([framing.error(streamError(scope, options, error))])
    } finally {
      watcher.close()
      finishStream(writer)
    }
  } finally {
    clearTimeout(timer)
    exchange.ctx.signal.removeEventListener('abort', end)
    env.shutdown.removeEventListener('abort', end)
  }
}

/** What is made; where it fails, `undo` is called. */
function attempt<T>(make: () => T, undo: () => void): T {
  try {
    return make()
  } catch (error) {
    undo()
    throw error
  }
}

/** Of a client that has not been written to: whether it is there and does not read. */
const isStalled = (writer: StreamWriter, signal: AbortSignal): boolean => writer.open && !signal.aborted && writer.unwritten > PACE_BYTES

const watchedName = ({ fields }: ReadOptions): string => fields.find(({ field, op }) => field === 'metadata.name' && op === '=')?.value ?? ''

function endsInitialEvents(batch: readonly StorageEvent[]): boolean {
  const last = batch.at(-1)
  return last?.type === 'bookmark' && last.initialEnd
}

/** Over a WebSocket where the client asks for one; undefined where its handshake is none. */
const streamTo = (exchange: Exchange, { contentType, messages }: Framing, gone: () => void): StreamWriter | undefined =>
  asksWebSocket(exchange) ? openSocketStream(exchange, messages, gone) : exchange.stream(200, contentType)

/** A client with this much unwritten is waited for; what comes meanwhile waits in the watch's queue, which is bounded. */
const PACE_BYTES = 768 * 1024
/** Frames of one write. More would be joined in memory for nothing. */
const WRITE_BYTES = 1 << 20
/** A client that has taken nothing for so long is given up. */
const STALLED_MS = 5_000

/** Writes the frames, no faster than the client takes them. False where the stream has ended or should end. */
function writeAll(writer: StreamWriter, frames: readonly Buffer[], signal: AbortSignal): boolean | Promise<boolean> {
  if (frames.length === 0) return true
  if (frames.length > 1 && !fits(frames)) return writeInParts(writer, frames, signal)
  if (!writer.write(frames)) return false
  return writer.unwritten <= PACE_BYTES || untilTaken(writer, signal)
}

function fits(frames: readonly Buffer[]): boolean {
  let bytes = 0
  for (const frame of frames) bytes += frame.length
  return bytes <= WRITE_BYTES
}

async function writeInParts(writer: StreamWriter, frames: readonly Buffer[], signal: AbortSignal): Promise<boolean> {
  for (let from = 0; from < frames.length; ) {
    let to = from
    let bytes = 0
    while (to < frames.length && (to === from || bytes + (frames[to]?.length ?? 0) <= WRITE_BYTES)) bytes += frames[to++]?.length ?? 0
    if (!writer.write(frames.slice(from, to))) return false
    from = to
    if (writer.unwritten > PACE_BYTES && !(await untilTaken(writer, signal))) return false
  }
  return true
}

async function untilTaken(writer: StreamWriter, signal: AbortSignal): Promise<boolean> {
  const taken = writer.drained().then(() => true)
  for (let before = writer.unwritten; ; before = writer.unwritten) {
    const waited = new AbortController()
    const late = sleep(STALLED_MS, false, { signal: AbortSignal.any([signal, waited.signal]), ref: false }).catch(() => false)
    const done = await Promise.race([taken, late])
    waited.abort()
    if (done) return writer.open
    if (signal.aborted || writer.unwritten >= before) return false
  }
}

/** Reasons of a state that can't be read. */
const UNREADABLE = ['InternalError', 'StorageReadError']

function toldInside(error: unknown): StatusError {
  if (error instanceof StatusError && (error.code === 410 || UNREADABLE.includes(error.reason) || error.reason === 'Timeout')) return error
  throw error
}

const finishStream = (writer: StreamWriter): void => {
  if (writer.open) writer.end()
}

/** A start that is gone is told inside the stream: an ERROR event with a 410. */
function streamError(scope: Scope, options: ReadOptions, error: unknown): StatusError {
  const status = toStatus(error, groupResourceOf(scope.served), '', 'watch', options.resourceVersion, storeOf(scope).storage.cached)
  if (status instanceof StatusError) return status
  return error instanceof Error ? internalServerError(error.message) : serviceUnavailableError('the watch has ended')
}

/** Frames of the last events, kept for the watches that are still to get them: two generations of them, so that few are kept for long. */
const GENERATION = 512
let young = new Map<StoredObject, Map<string, Buffer>>()
let old = new Map<StoredObject, Map<string, Buffer>>()

function framesOf(object: StoredObject): Map<string, Buffer> {
  const known = young.get(object) ?? old.get(object)
  if (known) return known
  if (young.size >= GENERATION) {
    old = young
    young = new Map()
  }
  const frames = new Map<string, Buffer>()
  young.set(object, frames)
  return frames
}

/** Watchers that want everything get the same batches, one after the other: the frames of the last ones, by the array's identity. */
const batches: { readonly batch: readonly StorageEvent[]; readonly id: string; readonly frames: readonly Buffer[] }[] = []
let nextBatch = 0

/** Frames up to the first event that the form cannot show. */
function framesOfBatch(framing: Framing, batch: readonly StorageEvent[]): readonly Buffer[] {
  const { id } = framing
  for (const kept of batches) if (kept.batch === batch && kept.id === id) return kept.frames
  const frames: Buffer[] = []
  for (const event of batch) {
    const frame = frameOf(framing, event)
    if (frame === undefined) break
    frames.push(frame)
  }
  if (id !== undefined) {
    batches[nextBatch] = { batch, id, frames }
    nextBatch = (nextBatch + 1) % 8
  }
  return frames
}

function frameOf(framing: Framing, event: StorageEvent): Buffer | undefined {
  if (event.type === 'bookmark') return framing.bookmark(String(event.revision), event.initialEnd)
  const type = EVENT_TYPES[event.type]
  if (framing.id === undefined) return framing.object(type, event.object)
  const frames = framesOf(event.object)
  const id = `${type};${framing.id}`
  let frame = frames.get(id)
  if (frame === undefined) {
    frame = framing.object(type, event.object)
    if (frame !== undefined) frames.set(id, frame)
  }
  return frame
}
