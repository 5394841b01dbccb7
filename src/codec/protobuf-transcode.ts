import type { StructSchema } from '../schema/schema.ts'
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, LETTER_N, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts'
import { type EntryLayout, type MemberLayout, type MessageLayout, newLayout, threeBytes, type ValueLayout } from './protobuf-layout.ts'
import {
  transcodeBoolean,
  transcodeInteger,
  transcodeOther,
  transcodeQuantity,
  transcodeRaw,
  transcodeText,
  transcodeTime,
} from './protobuf-transcode-values.ts'
import { GIVE_UP, giveUp, Transcription } from './protobuf-transcription.ts'

/**
 * A message can be longer than its JSON, because absent members have zero values. A message longer than this multiple
 * of its JSON is not transcoded.
 */
const GROWTH = 4
/** Smallest and largest output buffer in bytes. A message that may exceed the largest is not transcoded. */
const LEAST_BYTES = 64 * 1024
const MOST_BYTES = 2 * 1024 * 1024
/**
 * Limit on the members of all open structs whose order differs from the message. An object with more is not transcoded.
 */
const MOST_STARTS = 4096
/** Tag of field 1 of a map entry: its key. */
const KEY_TAG = 0x0a

/**
 * Transcodes JSON to protobuf byte by byte without creating objects: texts and raw JSON are copied. Three times as fast
 * as parsing and encoding, which matters for lists of 100,000 objects.
 *
 * The output buffer and the layouts of schemas are kept between calls. The owner copies a result before the next call;
 * nothing is asynchronous, so calls never overlap.
 */
export class Transcoder {
  #out: Buffer = Buffer.alloc(0)
  /** Stack of the offsets of members, for structs whose order differs from the message; 0 for an absent member. */
  readonly #starts = new Int32Array(MOST_STARTS)
  #top = 0
  readonly #layouts = new WeakMap<StructSchema, MessageLayout>()

  /**
   * Transcodes JSON that this program wrote for the schema to the same bytes as `encodeMessage` of the parsed object.
   * @param from offset of the first member, after kind and apiVersion
   * @param lead bytes to leave free before the message, with undefined content
   * @returns memory that the next call overwrites, including the `lead` bytes; undefined if the object cannot be
   * transcoded
   */
  transcode(schema: StructSchema, json: Buffer, from: number, lead: number): Buffer | undefined {
    const wanted = GROWTH * json.length
    if (wanted > MOST_BYTES) return undefined
    if (this.#out.length < wanted) this.#out = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, wanted))
    const t = new Transcription(json, from - 1, this.#out, lead)
    this.#top = 0
    try {
      this.#message(t, this.#layoutOf(schema))
      return t.at > t.out.length || t.pos !== json.length ? undefined : t.out.subarray(0, t.at)
    } catch (error) {
      if (error === GIVE_UP) return undefined
      throw error
    }
  }

  /** Returns the layout of a schema, which is created once per transcoder. */
  #layoutOf(schema: StructSchema): MessageLayout {
    let layout = this.#layouts.get(schema)
    if (!layout) {
      layout = newLayout(schema)
      this.#layouts.set(schema, layout)
    }
    return layout
  }

  /**
   * Writes members in the order of the JSON while that is the order of the message. Otherwise starts over with
   * `scattered`.
   */
  #message(t: Transcription, layout: MessageLayout): void {
    if (layout.scattered) {
      this.#scattered(t, layout)
      return
    }
    const { json } = t
    const { entries } = layout
    const begun = t.pos
    const first = t.at
    let place = 0
    let next = 0
    t.pos++
    while (json[t.pos] !== CLOSE_BRACE) {
      const member = memberFrom(t, layout, place)
      place = member.place + 1
      const entry = member.index < 0 ? undefined : entries[member.index]
      if (entry === undefined || json[t.pos] === LETTER_N) t.skip()
      else {
        if (member.index < next) {
          t.pos = begun
          t.at = first
          this.#scattered(t, layout)
          return
        }
        if (next < member.index) writeZeros(t, layout, next, member.index)
        next = member.index + 1
        this.#value(t, entry.value)
      }
      if (json[t.pos] === COMMA) t.pos++
    }
    t.pos++
    if (next < entries.length) writeZeros(t, layout, next, entries.length)
  }

  /** Writes a struct in two passes: locates its members, then writes them in the order of the message. */
  #scattered(t: Transcription, layout: MessageLayout): void {
    const { json } = t
    const { members, entries } = layout
    const starts = this.#starts
    const base = this.#top
    this.#top += members.length
    if (this.#top > starts.length) giveUp()
    starts.fill(0, base, this.#top)
    t.pos++
    let place = 0
    let last = -1
    let scattered = layout.inlines
    while (json[t.pos] !== CLOSE_BRACE) {
      const member = memberFrom(t, layout, place)
      if (json[t.pos] !== LETTER_N) {
        starts[base + member.place] = t.pos
        if (member.index < last) scattered = true
        last = member.index
      }
      place = member.place + 1
      t.skip()
      if (json[t.pos] === COMMA) t.pos++
    }
    layout.scattered = scattered
    const end = t.pos + 1
    this.#entries(t, entries, base)
    t.pos = end
    this.#top = base
  }

  /**
   * Writes the fields of a message whose members were located at `starts[base]` and on. Fields of an inlined message
   * are members of the same struct.
   */
  #entries(t: Transcription, entries: readonly EntryLayout[], base: number): void {
    for (const entry of entries) {
      const { inline, value, member } = entry
      if (inline !== undefined) {
        const from = t.open(value.tag, value.room)
        const room = value.room.bytes
        this.#entries(t, inline, base)
        t.close(from, room, value.room)
        continue
      }
      const start = member < 0 ? 0 : (this.#starts[base + member] ?? 0)
      if (start === 0) writeZero(t, entry)
      else {
        t.pos = start
        this.#value(t, value)
      }
    }
  }

  /**
   * Writes the value that begins at `t.pos` of the JSON text, with its tag, and moves `t.pos` behind it. Gives up on
   * JSON of another type.
   */
  #value(t: Transcription, value: ValueLayout): void {
    switch (value.form) {
      case 'string':
        transcodeText(t, value.tag, value.room)
        break
      case 'integer':
        transcodeInteger(t, value)
        break
      case 'boolean':
        transcodeBoolean(t, value.tag)
        break
      case 'time':
        transcodeTime(t, value)
        break
      case 'quantity':
        transcodeQuantity(t, value)
        break
      case 'raw':
      case 'json':
        transcodeRaw(t, value)
        break
      case 'struct':
        this.#struct(t, value)
        break
      case 'list':
        this.#list(t, value)
        break
      case 'map':
        this.#map(t, value)
        break
      case 'other':
        transcodeOther(t, value)
        break
    }
  }

  /** The layout of a nested struct is made on first use, since types can be recursive. */
  #struct(t: Transcription, value: ValueLayout): void {
    if (t.json[t.pos] !== OPEN_BRACE) giveUp()
    if (value.layout === undefined) {
      if (value.schema.type !== 'struct') giveUp()
      value.layout = this.#layoutOf(value.schema)
    }
    const from = t.open(value.tag, value.room)
    const room = value.room.bytes
    this.#message(t, value.layout)
    t.close(from, room, value.room)
  }

  /** Writes the items of a list, each with its tag. A null item ends the transcription. */
  #list(t: Transcription, { items }: ValueLayout): void {
    const { json } = t
    if (json[t.pos] !== OPEN_BRACKET || items === undefined) giveUp()
    t.pos++
    while (json[t.pos] !== CLOSE_BRACKET) {
      if (json[t.pos] === LETTER_N) giveUp()
      this.#value(t, items)
      if (json[t.pos] === COMMA) t.pos++
    }
    t.pos++
  }

  /** Writes a map. JSON and message have the same order of entries. */
  #map(t: Transcription, { items, tag, room, inner }: ValueLayout): void {
    const { json } = t
    if (json[t.pos] !== OPEN_BRACE || items === undefined) giveUp()
    t.pos++
    while (json[t.pos] !== CLOSE_BRACE) {
      const from = t.open(tag, room)
      const left = room.bytes
      transcodeText(t, KEY_TAG, inner)
      if (json[t.pos] !== COLON || json[t.pos + 1] === LETTER_N) giveUp()
      t.pos++
      this.#value(t, items)
      t.close(from, left, room)
      if (json[t.pos] === COMMA) t.pos++
    }
    t.pos++
  }
}

/**
 * Returns the member whose name is at the current offset, and advances to its value. Its index is `place` or higher:
 * stored JSON has members in declared order, so the search never restarts.
 */
function memberFrom(t: Transcription, { members, begins }: MessageLayout, place: number): MemberLayout {
  const { length } = begins
  const { json, pos: from } = t
  const begin = threeBytes(json, from + 1)
  for (let i = place; i < length; i++) {
    if (begins[i] !== begin) continue
    const member = members[i]
    if (member === undefined) break
    const { key } = member
    let same = 4
    while (same < key.length && json[from + same] === key[same]) same++
    if (same >= key.length) {
      t.pos = from + key.length
      return member
    }
  }
  return giveUp()
}

function writeZero(t: Transcription, { zero }: EntryLayout): void {
  if (zero === undefined) return
  const { out } = t
  for (let i = 0; i < zero.length; i++) out[t.at++] = zero[i] ?? 0
}

/** Writes the zero values of the entries in [`first`, `second`). */
function writeZeros(t: Transcription, { zeros, zeroEnds }: MessageLayout, first: number, second: number): void {
  const { out } = t
  const end = zeroEnds[second] ?? 0
  for (let i = zeroEnds[first] ?? 0; i < end; i++) out[t.at++] = zeros[i] ?? 0
}
