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

/** A message may be longer than its JSON: members that are not there have zeros. One that is more than this many times as long is left to the caller. */
const GROWTH = 4
const LEAST_BYTES = 64 * 1024
const MOST_BYTES = 2 * 1024 * 1024
/** Members of all structs that are open at once and out of order; an object that has more is left to the caller. */
const MOST_STARTS = 4096
/** Field 1 of a map's entry: its key. */
const KEY_TAG = 0x0a

/**
 * Converts JSON to protobuf byte by byte, with no object between: what both forms have in common (texts, raw JSON) is copied. It is three times as fast as parsing and encoding, and lists of
 * 100,000 objects are encoded so.
 *
 * It keeps memory for the output, and the layout of a schema from one object for the next. Its owner copies a result before it asks for another one; nothing here waits, so calls never
 * overlap.
 */
export class Transcoder {
  private out: Buffer = Buffer.alloc(0)
  /** Where the members of structs begin whose order in the message is another: a stack, 0 for a member that is absent. */
  private readonly starts = new Int32Array(MOST_STARTS)
  private top = 0
  private readonly layouts = new WeakMap<StructSchema, MessageLayout>()

  /**
   * The message of JSON that this program wrote for the schema, the same bytes as `encodeMessage` makes of the parsed object.
   * @param from where its first member begins, after kind and apiVersion
   * @param lead bytes to leave free before it, which are undefined
   * @returns memory that the next call overwrites; undefined where the object has to be encoded otherwise
   */
  transcode(schema: StructSchema, json: Buffer, from: number, lead: number): Buffer | undefined {
    const wanted = GROWTH * json.length
    if (wanted > MOST_BYTES) return undefined
    if (this.out.length < wanted) this.out = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, wanted))
    const t = new Transcription(json, from - 1, this.out, lead)
    this.top = 0
    try {
      this.message(t, this.layoutOf(schema))
      return t.at > t.out.length || t.pos !== json.length ? undefined : t.out.subarray(0, t.at)
    } catch (error) {
      if (error === GIVE_UP) return undefined
      throw error
    }
  }

  private layoutOf(schema: StructSchema): MessageLayout {
    let layout = this.layouts.get(schema)
    if (!layout) {
      layout = newLayout(schema)
      this.layouts.set(schema, layout)
    }
    return layout
  }

  /** The members as they come, where that is the order of the message; otherwise begins again with `scattered`. */
  private message(t: Transcription, layout: MessageLayout): void {
    if (layout.scattered) {
      this.scattered(t, layout)
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
          this.scattered(t, layout)
          return
        }
        if (next < member.index) writeZeros(t, layout, next, member.index)
        next = member.index + 1
        this.value(t, entry.value)
      }
      if (json[t.pos] === COMMA) t.pos++
    }
    t.pos++
    if (next < entries.length) writeZeros(t, layout, next, entries.length)
  }

  /** First finds where the members begin, and then writes them in the order of the message. */
  private scattered(t: Transcription, layout: MessageLayout): void {
    const { json } = t
    const { members, entries } = layout
    const { starts } = this
    const base = this.top
    this.top += members.length
    if (this.top > starts.length) giveUp()
    starts.fill(0, base, this.top)
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
    this.entries(t, entries, base)
    t.pos = end
    this.top = base
  }

  private entries(t: Transcription, entries: readonly EntryLayout[], base: number): void {
    for (const entry of entries) {
      const { inline, value, member } = entry
      if (inline !== undefined) {
        const from = t.open(value.tag, value.room)
        const room = value.room.bytes
        this.entries(t, inline, base)
        t.close(from, room, value.room)
        continue
      }
      const start = member < 0 ? 0 : (this.starts[base + member] ?? 0)
      if (start === 0) writeZero(t, entry)
      else {
        t.pos = start
        this.value(t, value)
      }
    }
  }

  private value(t: Transcription, value: ValueLayout): void {
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
        this.struct(t, value)
        break
      case 'list':
        this.list(t, value)
        break
      case 'map':
        this.map(t, value)
        break
      case 'other':
        transcodeOther(t, value)
        break
    }
  }

  private struct(t: Transcription, value: ValueLayout): void {
    if (t.json[t.pos] !== OPEN_BRACE) giveUp()
    if (value.layout === undefined) {
      if (value.schema.type !== 'struct') giveUp()
      value.layout = this.layoutOf(value.schema)
    }
    const from = t.open(value.tag, value.room)
    const room = value.room.bytes
    this.message(t, value.layout)
    t.close(from, room, value.room)
  }

  private list(t: Transcription, { items }: ValueLayout): void {
    const { json } = t
    if (json[t.pos] !== OPEN_BRACKET || items === undefined) giveUp()
    t.pos++
    while (json[t.pos] !== CLOSE_BRACKET) {
      if (json[t.pos] === LETTER_N) giveUp()
      this.value(t, items)
      if (json[t.pos] === COMMA) t.pos++
    }
    t.pos++
  }

  /** Its entries stand in the order of their keys in both forms. */
  private map(t: Transcription, { items, tag, room, inner }: ValueLayout): void {
    const { json } = t
    if (json[t.pos] !== OPEN_BRACE || items === undefined) giveUp()
    t.pos++
    while (json[t.pos] !== CLOSE_BRACE) {
      const from = t.open(tag, room)
      const left = room.bytes
      transcodeText(t, KEY_TAG, inner)
      if (json[t.pos] !== COLON || json[t.pos + 1] === LETTER_N) giveUp()
      t.pos++
      this.value(t, items)
      t.close(from, left, room)
      if (json[t.pos] === COMMA) t.pos++
    }
    t.pos++
  }
}

/** The member whose name stands here, which is at `place` or later; goes on to its value. Stored JSON has members in declared order, so none is passed over twice. */
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

/** What absent members become: of the entries from the first one on, to before the second. */
function writeZeros(t: Transcription, { zeros, zeroEnds }: MessageLayout, first: number, second: number): void {
  const { out } = t
  const end = zeroEnds[second] ?? 0
  for (let i = zeroEnds[first] ?? 0; i < end; i++) out[t.at++] = zeros[i] ?? 0
}
