import { endOfValue } from './json-scan.ts'
import type { Room } from './protobuf-layout.ts'

/** Thrown for unexpected JSON and caught by the transcoder. Has no stack, because it is never logged. */
export const GIVE_UP = { name: 'GiveUp' }

/** Ends a transcription. The object has to be parsed and encoded instead. */
export function giveUp(): never {
  throw GIVE_UP
}

/** State of one transcription: the JSON, the message, and the current offset in each, in bytes. */
export class Transcription {
  json: Buffer
  /** Offset of the next byte of the JSON. */
  pos: number
  /** Output buffer. Writes beyond its end have no effect and are detected by `close` and the transcoder. */
  readonly out: Buffer
  /** Offset of the next byte of the message. */
  at: number

  constructor(json: Buffer, pos: number, out: Buffer, at: number) {
    this.json = json
    this.pos = pos
    this.out = out
    this.at = at
  }

  /** Writes an unsigned integer of up to 32 bits. */
  varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.out[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.out[this.at++] = rest
  }

  /**
   * Begins a field with a length: reserves `room.bytes` for the length and returns the offset of the content. The
   * caller must pass the current `room.bytes` to `close`.
   */
  open(tag: number, room: Room): number {
    this.varint(tag)
    this.at += room.bytes
    return this.at
  }

  /**
   * Writes the length of the content that begins at `from`, for which `left` bytes were reserved. Moves the content if
   * the length needs another number of bytes.
   */
  close(from: number, left: number, room: Room): void {
    const { out } = this
    if (this.at > out.length) giveUp()
    const length = this.at - from
    const bytes = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x200000 ? 3 : 4
    if (bytes !== left) {
      out.copyWithin(from - left + bytes, from, this.at)
      room.bytes = bytes
    }
    this.at = from - left
    this.varint(length)
    this.at += length
  }

  /** Appends encoded bytes. */
  append(bytes: Uint8Array): void {
    if (this.at + bytes.length > this.out.length) giveUp()
    this.out.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Skips a value. Returns false if JSON.stringify might spell the value differently. */
  skip(): boolean {
    const end = endOfValue(this.json, this.pos)
    this.pos = Math.abs(end)
    return end > 0
  }
}
