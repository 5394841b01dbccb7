import type { HistogramChild } from '../lib/metrics.ts'
import { lengthOf, type Message, SharedBytes } from '../lib/shared-bytes.ts'
import { nextLongTurn, turnIsLong } from '../lib/turn.ts'
import type { StorageEvent, StoredObject } from '../storage/storage.ts'
import type { Framing } from './forms/framing.ts'

const EVENT_TYPES = { added: 'ADDED', modified: 'MODIFIED', deleted: 'DELETED' } as const

/** A batch of events in the form of a watch. Shared by all watches that get the same events in the same form. */
export class FramedBatch {
  /** One an event. */
  readonly frames: readonly Message[]
  /** Of each frame. */
  readonly lengths: readonly number[]
  readonly bytes: number
  /** The sizes of the frames, once they have been sorted. */
  sizes: HistogramChild | undefined
  #parts: readonly SharedBytes[] | undefined

  constructor(frames: readonly Message[]) {
    this.frames = frames
    this.lengths = frames.map(lengthOf)
    let bytes = 0
    for (const length of this.lengths) bytes += length
    this.bytes = bytes
  }

  /**
   * What is written at a time: of no more than so many bytes, but for a longer frame, which is a part of its own. Whoever asks first decides the bound, as each division is another copy in memory.
   */
  parts(most: number): readonly SharedBytes[] {
    this.#parts ??= this.frames.length === 0 ? [] : this.frames.length === 1 || this.bytes <= most ? [new SharedBytes(this.frames)] : this.#split(most)
    return this.#parts
  }

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

interface Kept {
  readonly batch: readonly StorageEvent[]
  readonly id: string
  readonly framed: FramedBatch
}

/** Batches that are kept, and their bytes: one at least is. */
const MOST_BATCHES = 8
const MOST_BYTES = 16 << 20
/** Objects whose frames are kept: twice so many at the most. */
const GENERATION = 512

/**
 * The frames of the last events, for the watches that are still to get them. Batches are found by their events: watchers that want the same get the same, one watcher after the other. Watchers
 * that want other parts of the same changes find the frames of single events. Two generations of these are kept, so that few are kept for long. A frame
 * that is no more than the bytes of a small object with something around them is not made: it is copied with the others of its batch, and nothing of it outlives that.
 */
export class SharedFrames {
  readonly #batches: Kept[] = []
  #bytes = 0
  /** Frames that were made, rather than found. */
  #made = 0
  #young = new Map<StoredObject, Map<string, Buffer>>()
  #old = new Map<StoredObject, Map<string, Buffer>>()

  /** Frames up to the first event that the form cannot show. Of large objects they are made in turns. */
  of(framing: Framing, batch: readonly StorageEvent[]): FramedBatch | Promise<FramedBatch> {
    const { id } = framing
    if (id !== undefined) for (const kept of this.#batches) if (kept.id === id && sameEvents(kept.batch, batch)) return kept.framed
    const frames: Message[] = []
    return this.#frame(framing, batch, frames) ? this.#framed(framing, batch, frames) : this.#frameInTurns(framing, batch, frames)
  }

  /** Adds frames until none is left to make, or the turn has been long. False: some are left. */
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

  #keep(kept: Kept): void {
    this.#bytes += kept.framed.bytes
    let count = this.#batches.push(kept)
    while (count > MOST_BATCHES || (this.#bytes > MOST_BYTES && count > 1)) {
      this.#bytes -= this.#batches.shift()?.framed.bytes ?? 0
      count--
    }
  }

  #frameOf(framing: Framing, event: StorageEvent): Message | undefined {
    const pieces = event.type === 'bookmark' ? undefined : framing.pieces?.(EVENT_TYPES[event.type], event.object)
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

/** The frame of one event. Undefined: the form cannot show it. */
export const frameOf = (framing: Framing, event: StorageEvent): Buffer | undefined =>
  event.type === 'bookmark' ? framing.bookmark(String(event.revision), event.initialEnd) : framing.object(EVENT_TYPES[event.type], event.object)

/** Writes the frame of an event into memory and returns where it ends; 0: it has to be made by `frameOf`. */
export const frameInto = (framing: Framing, event: StorageEvent, memory: Buffer, at: number): number =>
  event.type === 'bookmark' ? 0 : (framing.into?.(EVENT_TYPES[event.type], event.object, memory, at) ?? 0)
