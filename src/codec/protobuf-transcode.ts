import type { StructSchema } from '../schema/schema.ts'
import { copyBytes, writeCodeUnit } from './byte-writing.ts'
import { parseJson } from './json.ts'
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfValue,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  LETTER_U,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  secondsAt,
  unescaped,
  ZERO,
} from './json-scan.ts'
import { encodeField } from './protobuf-encode.ts'
import { type EntryLayout, layoutOf, type MemberLayout, type MessageLayout, type Room, threeBytes, type ValueLayout } from './protobuf-layout.ts'

/**
 * From JSON to protobuf byte by byte, with no object between: what both forms have in common (texts, raw JSON) is copied. Lists of a hundred thousand objects are encoded so.
 * State is the module's: an encoding is never interrupted.
 */

/** A message may be longer than its JSON: members that are not there have zeros. One that is longer than this is left to the caller. */
const GROWTH = 4
const LEAST_BYTES = 64 * 1024
const MOST_BYTES = 2 * 1024 * 1024
/** Digits of a number that is certainly whole as a double. */
const SAFE_DIGITS = 15

/** Where the JSON is not what was expected; it has no stack, for nobody sees it. */
const GIVE_UP = { name: 'GiveUp' }

let json: Buffer = Buffer.alloc(0)
let pos = 0
/** Writing beyond its end does nothing, and is found when all is done. */
let out: Buffer = Buffer.alloc(0)
let at = 0
/** Where the members of structs begin whose order in the message is another: a stack. */
const starts = new Int32Array(4096)
let top = 0

/**
 * The message of JSON that this program wrote for the schema, the same bytes as `encodeMessage` gives of the parsed object.
 * @param from where its first member begins, after kind and apiVersion
 * @param lead bytes to leave free before it, which are undefined
 * @returns memory that the next call overwrites; undefined where the object has to be encoded otherwise
 */
export function transcode(schema: StructSchema, text: Buffer, from: number, lead: number): Buffer | undefined {
  const wanted = GROWTH * text.length
  if (wanted > MOST_BYTES) return undefined
  if (out.length < wanted) out = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, wanted))
  json = text
  pos = from - 1
  at = lead
  top = 0
  try {
    writeMessage(layoutOf(schema))
    return at > out.length || pos !== text.length ? undefined : out.subarray(0, at)
  } catch (error) {
    if (error === GIVE_UP) return undefined
    throw error
  }
}

function giveUp(): never {
  throw GIVE_UP
}

/** The members as they come, where that is the order of the message. */
function writeMessage(layout: MessageLayout): void {
  if (layout.scattered) {
    writeScattered(layout)
    return
  }
  const { members, entries } = layout
  const begun = pos
  const first = at
  let place = 0
  let next = 0
  pos++
  while (json[pos] !== CLOSE_BRACE) {
    place = memberFrom(layout, place)
    const { index } = members[place++] as MemberLayout
    if (index < 0 || json[pos] === LETTER_N) skip()
    else {
      if (index < next) {
        pos = begun
        at = first
        writeScattered(layout)
        return
      }
      if (next < index) writeZeros(layout, next, index)
      next = index + 1
      writeValue((entries[index] as EntryLayout).value)
    }
    if (json[pos] === COMMA) pos++
  }
  pos++
  if (next < entries.length) writeZeros(layout, next, entries.length)
}

/** First finds where the members are, and then writes them. */
function writeScattered(layout: MessageLayout): void {
  const { members, entries } = layout
  const base = top
  top += members.length
  if (top > starts.length) giveUp()
  starts.fill(0, base, top)
  pos++
  let place = 0
  let last = -1
  let scattered = layout.inlines
  while (json[pos] !== CLOSE_BRACE) {
    place = memberFrom(layout, place)
    if (json[pos] !== LETTER_N) {
      starts[base + place] = pos
      const { index } = members[place] as MemberLayout
      if (index < last) scattered = true
      last = index
    }
    place++
    skip()
    if (json[pos] === COMMA) pos++
  }
  layout.scattered = scattered
  const end = pos + 1
  writeEntries(entries, base)
  pos = end
  top = base
}

function writeEntries(entries: readonly EntryLayout[], base: number): void {
  for (const entry of entries) {
    const { inline, value, member } = entry
    if (inline !== undefined) {
      const from = open(value.tag, value.room)
      const room = value.room.bytes
      writeEntries(inline, base)
      close(from, room, value.room)
      continue
    }
    const start = member < 0 ? 0 : (starts[base + member] as number)
    if (start === 0) writeZero(entry)
    else {
      pos = start
      writeValue(value)
    }
  }
}

/** The place of the member whose name stands here, which is at `place` or later, and goes on to its value. */
function memberFrom({ members, begins }: MessageLayout, place: number): number {
  const { length } = begins
  const source = json
  const from = pos
  const begin = threeBytes(source, from + 1)
  for (let i = place; i < length; i++) {
    if (begins[i] !== begin) continue
    const { key } = members[i] as MemberLayout
    let same = 4
    while (same < key.length && source[from + same] === key[same]) same++
    if (same >= key.length) {
      pos = from + key.length
      return i
    }
  }
  return giveUp()
}

function writeZero({ zero }: EntryLayout): void {
  if (zero === undefined) return
  for (let i = 0; i < zero.length; i++) out[at++] = zero[i] as number
}

/** Of the entries from the first one on, to before the second. */
function writeZeros({ zeros, zeroEnds }: MessageLayout, first: number, second: number): void {
  const end = zeroEnds[second] as number
  for (let i = zeroEnds[first] as number; i < end; i++) out[at++] = zeros[i] as number
}

function writeVarint(value: number): void {
  let rest = value
  while (rest > 0x7f) {
    out[at++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  out[at++] = rest
}

/** Begins what has a length: gives where its content begins. */
function open(tag: number, room: Room): number {
  writeVarint(tag)
  at += room.bytes
  return at
}

/** `left`: bytes that were left before `from` for the length. */
function close(from: number, left: number, room: Room): void {
  if (at > out.length) giveUp()
  const length = at - from
  const bytes = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x200000 ? 3 : 4
  if (bytes !== left) {
    out.copyWithin(from - left + bytes, from, at)
    room.bytes = bytes
  }
  at = from - left
  writeVarint(length)
  at += length
}

function writeValue(value: ValueLayout): void {
  switch (value.form) {
    case 'string':
      writeText(value.tag, value.room)
      break
    case 'integer':
      writeInteger(value)
      break
    case 'boolean':
      writeBoolean(value.tag)
      break
    case 'time':
      writeTime(value)
      break
    case 'quantity':
      if (json[pos] === QUOTE) writeQuantity(value)
      else writeOther(value)
      break
    case 'raw':
    case 'json':
      writeRaw(value)
      break
    case 'struct':
      writeStruct(value)
      break
    case 'list':
      writeList(value)
      break
    case 'map':
      writeMap(value)
      break
    case 'other':
      writeOther(value)
  }
}

function writeBoolean(tag: number): void {
  const yes = json[pos] === LETTER_T
  if (!yes && json[pos] !== LETTER_F) giveUp()
  writeVarint(tag)
  out[at++] = yes ? 1 : 0
  pos += yes ? 4 : 5
}

function writeStruct(value: ValueLayout): void {
  if (json[pos] !== OPEN_BRACE) giveUp()
  value.layout ??= layoutOf(value.schema as StructSchema)
  const from = open(value.tag, value.room)
  const room = value.room.bytes
  writeMessage(value.layout)
  close(from, room, value.room)
}

function writeList({ items }: ValueLayout): void {
  if (json[pos] !== OPEN_BRACKET || items === undefined) giveUp()
  pos++
  while (json[pos] !== CLOSE_BRACKET) {
    if (json[pos] === LETTER_N) giveUp()
    writeValue(items)
    if (json[pos] === COMMA) pos++
  }
  pos++
}

/** Its entries stand in the order of their keys in both forms. */
function writeMap({ items, tag, room, inner }: ValueLayout): void {
  if (json[pos] !== OPEN_BRACE || items === undefined) giveUp()
  pos++
  while (json[pos] !== CLOSE_BRACE) {
    const from = open(tag, room)
    const left = room.bytes
    writeText(0x0a, inner)
    if (json[pos] !== COLON || json[pos + 1] === LETTER_N) giveUp()
    pos++
    writeValue(items)
    close(from, left, room)
    if (json[pos] === COMMA) pos++
  }
  pos++
}

/** A text is the same in both, but for escapes. */
function writeText(tag: number, room: Room): void {
  const source = json
  if (source[pos] !== QUOTE) giveUp()
  const from = open(tag, room)
  const left = room.bytes
  const target = out
  const { length } = source
  let read = pos + 1
  let written = at
  for (; read < length; read++) {
    const byte = source[read] as number
    if (byte === QUOTE) break
    if (byte !== BACKSLASH) target[written++] = byte
    else if (source[++read] !== LETTER_U) target[written++] = unescaped(source[read] as number)
    else {
      written = writeCodeUnit(target, written, Number.parseInt(source.toString('latin1', read + 1, read + 5), 16))
      if (written < 0) giveUp()
      read += 4
    }
  }
  pos = read + 1
  at = written
  close(from, left, room)
}

function writeInteger(value: ValueLayout): void {
  let read = pos
  let number = 0
  for (; ; read++) {
    const digit = (json[read] as number) - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    number = 10 * number + digit
  }
  const next = json[read]
  const ended = next === COMMA || next === CLOSE_BRACE || next === CLOSE_BRACKET
  if (!ended || read === pos || read - pos > SAFE_DIGITS || number > 0xffffffff) writeOther(value)
  else {
    writeVarint(value.tag)
    writeVarint(number)
    pos = read
  }
}

/** Seconds, and no nanoseconds. */
function writeTime(value: ValueLayout): void {
  const seconds = secondsAt(json, pos)
  if (seconds < 0) writeOther(value)
  else {
    const from = open(value.tag, value.room)
    const room = value.room.bytes
    out[at++] = 0x08
    writeVarint(seconds)
    out[at++] = 0x10
    out[at++] = 0
    pos += 22
    close(from, room, value.room)
  }
}

function writeQuantity({ tag, room, inner }: ValueLayout): void {
  const from = open(tag, room)
  const left = room.bytes
  writeText(0x0a, inner)
  close(from, left, room)
}

/** JSON within the message stands as it does outside; what is `raw` has characters escaped here that it has not there. */
function writeRaw(value: ValueLayout): void {
  const begun = pos
  const plain = skip()
  if (!plain && value.form === 'raw') {
    pos = begun
    writeOther(value)
    return
  }
  const from = open(value.tag, value.room)
  const left = value.room.bytes
  const inside = open(0x0a, value.inner)
  const leftInside = value.inner.bytes
  at = copyBytes(out, at, json, begun, pos)
  close(inside, leftInside, value.inner)
  close(from, left, value.room)
}

function writeOther({ number, schema }: ValueLayout): void {
  const begun = pos
  skip()
  const bytes = encodeField(number, schema, parseJson(json.subarray(begun, pos)).value, true)
  if (at + bytes.length > out.length) giveUp()
  out.set(bytes, at)
  at += bytes.length
}

/** Goes on to after the value. False where it may be spelled otherwise than as JSON.stringify does. */
function skip(): boolean {
  const end = endOfValue(json, pos)
  pos = Math.abs(end)
  return end > 0
}
