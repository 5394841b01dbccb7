import { Backlog } from '../lib/backlog.ts'
import type { StorageEvent, StoredObject } from '../storage/storage.ts'
import type { StreamWriter } from './exchange.ts'
import type { Framing } from './forms/framing.ts'
import type { WatchMeter } from './watch-metrics.ts'

const EVENT_TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const

/** A client with this much unwritten is waited for; what comes meanwhile waits in the watch's queue, which is bounded. */
const PACE_BYTES = 768 * 1024
/** Less where many clients are behind. */
export const BACKLOG = new Backlog({ budget: 24 << 20, most: PACE_BYTES, least: 16 * 1024 })
/** Frames of one write. More would be joined in memory for nothing. */
const WRITE_BYTES = 1 << 20
/** The same while many clients are behind: two records of TLS, framing included. */
const SHORT_WRITE_BYTES = 32_000
/** A client that has taken nothing for so long is given up. */
const STALLED_MS = 5_000

/** From so many events on, what only one watcher gets is not framed event by event. */
const OWN_EVENTS = 8

/** Writes a batch no faster than the client takes it. False where the stream has ended or should end: also before the first event that the form cannot show. `own`: no other watcher gets it. */
export function writeBatch(
  writer: StreamWriter,
  framing: Framing,
  batch: readonly StorageEvent[],
  own: boolean,
  meter: WatchMeter | undefined,
  signal: AbortSignal,
): boolean | Promise<boolean> {
  if (own && batch.length >= OWN_EVENTS && writer.writeFilled !== undefined) return writeOwn(writer, framing, batch, meter, signal)
  const frames = framesOfBatch(framing, batch)
  meter?.sent(frames)
  const written = writeAll(writer, frames, signal)
  if (frames.length === batch.length) return written
  return Promise.resolve(written).then(() => false)
}

/** Into memory that is used again: of a hundred thousand initial events nothing is left to collect. */
async function writeOwn(
  writer: StreamWriter,
  framing: Framing,
  batch: readonly StorageEvent[],
  meter: WatchMeter | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  let next = 0
  /** A frame that had no room any more. */
  let left: Buffer | undefined
  let shown = true
  const fill = (memory: Buffer): number => {
    let at = 0
    for (; next < batch.length; next++) {
      const event = batch[next] as StorageEvent
      let end = 0
      if (left === undefined && event.type !== 'bookmark') end = framing.into?.(EVENT_TYPES[event.type], event.object, memory, at) ?? 0
      if (end === 0) {
        left ??= madeFrame(framing, event)
        shown = left !== undefined
        if (left === undefined || at + left.length > memory.length) break
        end = at + left.copy(memory, at)
        left = undefined
      }
      meter?.sentOne(end - at)
      at = end
    }
    return at
  }
  while (next < batch.length) {
    const before = next
    if (!writer.writeFilled?.(fill) || !shown) return false
    if (next === before && left !== undefined) {
      // Longer than that memory.
      meter?.sentOne(left.length)
      if (!writer.write([left])) return false
      left = undefined
      next++
    }
    if (BACKLOG.exceeds(writer) && !(await untilTaken(writer, signal))) return false
  }
  return true
}

/** Writes the frames, no faster than the client takes them. False where the stream has ended or should end. */
function writeAll(writer: StreamWriter, frames: readonly Buffer[], signal: AbortSignal): boolean | Promise<boolean> {
  if (frames.length === 0) return true
  const parts = frames.length === 1 ? WHOLE : partsOf(frames, BACKLOG.allowance < PACE_BYTES)
  if (parts.length > 1) return writeInParts(writer, parts, signal)
  if (!writer.write(frames)) return false
  return !BACKLOG.exceeds(writer) || untilTaken(writer, signal)
}

type Parts = readonly (readonly Buffer[])[]

const WHOLE: Parts = []
/** Watchers that get the same frames get the same parts of them: what is framed once for all is found by the array. */
const inParts = new WeakMap<readonly Buffer[], Parts>()
const inShortParts = new WeakMap<readonly Buffer[], Parts>()

/** Of so many bytes at the most; a longer frame is a part of its own. */
function partsOf(frames: readonly Buffer[], isShort: boolean): Parts {
  const all = isShort ? inShortParts : inParts
  let known = all.get(frames)
  if (known === undefined) {
    const parts: Buffer[][] = []
    let bytes = Number.POSITIVE_INFINITY
    for (const frame of frames) {
      if (bytes + frame.length > (isShort ? SHORT_WRITE_BYTES : WRITE_BYTES)) {
        parts.push([])
        bytes = 0
      }
      parts.at(-1)?.push(frame)
      bytes += frame.length
    }
    known = parts.length === 1 ? WHOLE : parts
    all.set(frames, known)
  }
  return known
}

async function writeInParts(writer: StreamWriter, parts: Parts, signal: AbortSignal): Promise<boolean> {
  for (const part of parts) {
    if (!writer.write(part)) return false
    if (BACKLOG.exceeds(writer) && !(await untilTaken(writer, signal))) return false
  }
  return true
}

/** False where the client has taken nothing for long, or the watch has ended meanwhile. */
function untilTaken(writer: StreamWriter, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise(resolve => {
    let before = writer.unwritten
    const finish = (goesOn: boolean): void => {
      clearInterval(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(goesOn)
    }
    const onAbort = (): void => finish(false)
    const timer = setInterval(() => {
      if (writer.unwritten >= before) finish(false)
      before = writer.unwritten
    }, STALLED_MS).unref()
    signal.addEventListener('abort', onAbort)
    void writer.drained().then(() => finish(writer.open))
  })
}

/** Of a client that has not been written to: whether it is there and does not read. */
export const isStalled = (writer: StreamWriter, signal: AbortSignal): boolean => writer.open && !signal.aborted && writer.unwritten > PACE_BYTES

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
  if (event.type === 'bookmark' || framing.id === undefined) return madeFrame(framing, event)
  const type = EVENT_TYPES[event.type]
  const frames = framesOf(event.object)
  const id = `${type};${framing.id}`
  let frame = frames.get(id)
  if (frame === undefined) {
    frame = framing.object(type, event.object)
    if (frame !== undefined) frames.set(id, frame)
  }
  return frame
}

const madeFrame = (framing: Framing, event: StorageEvent): Buffer | undefined =>
  event.type === 'bookmark' ? framing.bookmark(String(event.revision), event.initialEnd) : framing.object(EVENT_TYPES[event.type], event.object)
