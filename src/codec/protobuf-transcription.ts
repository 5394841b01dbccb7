import { endOfValue } from './json-scan.ts'
import type { Room } from './protobuf-layout.ts'

/** Thrown where the JSON is not what was expected, and caught by the transcoder; it has no stack, for nobody sees it. */
export const GIVE_UP = { name: 'GiveUp' }

/** Ends a transcription: the object has to be encoded from its parsed form. */
export function giveUp(): never {
  throw GIVE_UP
}

/** One transcription: the JSON and how far it has been read, the message and how far it has been written. Offsets are of bytes. */
export class Transcription {
  json: Buffer
  /** The next byte of the JSON. */
  pos: number
  /** Writing beyond its end does nothing, which `close` and the transcoder find. */
  readonly out: Buffer
  /** The next byte of the message. */
  at: number

  constructor(json: Buffer, pos: number, out: Buffer, at: number) {
    this.json = json
    this.pos = pos
    this.out = out
    this.at = at
  }

  /** A whole number of up to 32 bits, unsigned. */
  varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.out[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.out[this.at++] = rest
  }

  /** Begins a field that states its length, which is not known yet: leaves the room for it, and returns where the content begins. `close` has to follow with what `room.bytes` was here. */
  open(tag: number, room: Room): number {
    this.varint(tag)
    this.at += room.bytes
    return this.at
  }

  /** Writes the length of the content since `from`, and moves the content where the length takes other than the `left` bytes that were left for it. */
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

  /** Appends bytes that are encoded already. */
  append(bytes: Uint8Array): void {
    if (this.at + bytes.length > this.out.length) giveUp()
    this.out.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Goes on to behind the value that begins here. False where it may be spelled otherwise than JSON.stringify does. */
  skip(): boolean {
    const end = endOfValue(this.json, this.pos)
    this.pos = Math.abs(end)
    return end > 0
  }
}
