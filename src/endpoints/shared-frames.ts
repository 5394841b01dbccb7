import type { HistogramChild } from '../lib/metrics.ts'
import { type Message, messageLength, SharedBytes } from '../lib/shared-bytes.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import { WATCH_EVENT_TYPES } from '../meta/watch-event-types.ts'
import type { StorageEvent, StoredObject } from '../storage/storage.ts'
import type { Framing } from './forms/framing.ts'

/** A batch of events, framed for a watch. Shared by all watches that receive the same events in the same form. */
export class FramedBatch {
  /** One frame for each event. */
  readonly frames: readonly Message[]
  /** Length of each frame in bytes. */
  readonly lengths: readonly number[]
  readonly bytes: number
  /** Histogram of the frame sizes. Set when it is first needed. */
  sizes: HistogramChild | undefined
  #parts: readonly SharedBytes[] | undefined

  constructor(frames: readonly Message[]) {
    this.frames = frames
    this.lengths = frames.map(messageLength)
    let bytes = 0
    for (const length of this.lengths) bytes += length
    this.bytes = bytes
  }

  /**
   * Returns the frames in parts of at most `most` bytes, for one write each. A longer frame is its own part. The first
   * call determines the bound, because each division is another copy in memory.
   */
  parts(most: number): readonly SharedBytes[] {
    this.#parts ??=
      this.frames.length === 0 ? [] : this.frames.length === 1 || this.bytes <= most ? [new SharedBytes(this.frames)] : this.#split(most)
    return this.#parts
  }

  /** Divides the frames into parts of at most `most` bytes each, except single longer frames. */
  #split(most: number): SharedBytes[] {
    const parts: Message[][] = []
    let bytes = Number.POSITIVE_INFINITY
    this.frames.forEach((frame, i) => {
      const length = this.lengths[i] ?? 0
      if (bytes + length > most) {
        parts.push([])
        bytes = 0
      }
      parts.at(-1)?.push(frame)
      bytes += length
    })
    return parts.map(part => new SharedBytes(part))
  }
}

/** A cached batch. */
interface CachedBatch {
  readonly batch: readonly StorageEvent[]
  readonly id: string
  readonly framed: FramedBatch
}

/** Maximum number and bytes of batches that are kept, except that the latest is kept whatever its size. */
const MOST_BATCHES = 8
const MOST_BYTES = 16 << 20
/** Objects in one generation of frames. Up to two generations are kept. */
const GENERATION = 512

/**
 * Frames of the latest events, for watches that have not sent them yet. Batches are found by their events: watchers
 * with the same selectors receive the same batch one after the other. Watchers with other selectors find the frames of
 * single events. Two generations of these are kept, so that a frame is soon released. A frame that consists of the
 * stored bytes of a small object and a few bytes around them is not cached: it is copied into its batch.
 */
export class SharedFrames {
  readonly #batches: CachedBatch[] = []
  #bytes = 0
  /** Number of frames that were made rather than found. */
  #made = 0
  #young = new Map<StoredObject, Map<string, Buffer>>()
  #old = new Map<StoredObject, Map<string, Buffer>>()

  /** Returns frames up to the first event that the form cannot represent. Frames of large objects are made in turns. */
  of(framing: Framing, batch: readonly StorageEvent[]): FramedBatch | Promise<FramedBatch> {
    const { id } = framing
    if (id !== undefined) for (const kept of this.#batches) if (kept.id === id && sameEvents(kept.batch, batch)) return kept.framed
    const frames: Message[] = []
    return this.#frame(framing, batch, frames) ? this.#framed(framing, batch, frames) : this.#frameInTurns(framing, batch, frames)
  }

  /** Appends frames until none is left or the turn has been long. Returns false if some are left. */
  #frame(framing: Framing, batch: readonly StorageEvent[], frames: Message[]): boolean {
    for (let event = batch[frames.length]; event !== undefined; event = batch[frames.length]) {
      const made = this.#made
      const frame = this.#frameOf(framing, event)
      if (frame === undefined) return true
      frames.push(frame)
      if (this.#made !== made && frames.length < batch.length && turnIsLong()) return false
    }
    return true
  }

  async #frameInTurns(framing: Framing, batch: readonly StorageEvent[], frames: Message[]): Promise<FramedBatch> {
    do await nextLongTurn()
    while (!this.#frame(framing, batch, frames))
    return this.#framed(framing, batch, frames)
  }

  #framed({ id }: Framing, batch: readonly StorageEvent[], frames: readonly Message[]): FramedBatch {
    const framed = new FramedBatch(frames)
    if (id !== undefined) this.#keep({ batch, id, framed })
    return framed
  }

  #keep(kept: CachedBatch): void {
    this.#bytes += kept.framed.bytes
    let count = this.#batches.push(kept)
    while (count > MOST_BATCHES || (this.#bytes > MOST_BYTES && count > 1)) {
      this.#bytes -= this.#batches.shift()?.framed.bytes ?? 0
      count--
    }
  }

  /** Returns the frame of an event: pieces to be copied, or a cached or new buffer. */
  #frameOf(framing: Framing, event: StorageEvent): Message | undefined {
    const pieces = event.type === 'bookmark' ? undefined : framing.pieces?.(WATCH_EVENT_TYPES[event.type], event.object)
    if (pieces !== undefined) {
      this.#made++
      return pieces
    }
    if (event.type === 'bookmark' || framing.id === undefined) {
      this.#made++
      return frameOf(framing, event)
    }
    const frames = this.#framesOf(event.object)
    const id = `${event.type};${framing.id}`
    let frame = frames.get(id)
    if (frame === undefined) {
      this.#made++
      frame = frameOf(framing, event)
      if (frame !== undefined) frames.set(id, frame)
    }
    return frame
  }

  /** Returns the cached frames of an object by framing. A full young generation replaces the old one. */
  #framesOf(object: StoredObject): Map<string, Buffer> {
    const known = this.#young.get(object) ?? this.#old.get(object)
    if (known) return known
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young
      this.#young = new Map()
    }
    const frames = new Map<string, Buffer>()
    this.#young.set(object, frames)
    return frames
  }
}

function sameEvents(a: readonly StorageEvent[], b: readonly StorageEvent[]): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Returns the frame of an event. Undefined if the form cannot represent it. */
export const frameOf = (framing: Framing, event: StorageEvent): Buffer | undefined =>
  event.type === 'bookmark'
    ? framing.bookmark(String(event.revision), event.initialEnd)
    : framing.object(WATCH_EVENT_TYPES[event.type], event.object)

/** Writes the frame of an event into memory. Returns its end, or 0 if it has to be made by `frameOf`. */
export const frameInto = (framing: Framing, event: StorageEvent, memory: Buffer, at: number): number =>
  event.type === 'bookmark' ? 0 : (framing.into?.(WATCH_EVENT_TYPES[event.type], event.object, memory, at) ?? 0)
