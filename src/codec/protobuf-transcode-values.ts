import { copyBytes, writeCodeUnit } from './byte-writing.ts'
import { parseJson } from './json.ts'
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  LETTER_F,
  LETTER_T,
  LETTER_U,
  QUOTE,
  secondsAt,
  unescaped,
  ZERO,
} from './json-scan.ts'
import { encodeField } from './protobuf-encode.ts'
import type { Room, ValueLayout } from './protobuf-layout.ts'
import { giveUp, type Transcription } from './protobuf-transcription.ts'

/**
 * Transcodes values without members. Each function starts at the value's first byte in the JSON and ends after its
 * last.
 */

/** Digits of an integer that a double certainly represents exactly. */
const SAFE_DIGITS = 15
/** Length of `"2006-01-02T15:04:05Z"` in bytes. */
const TIME_BYTES = 22
/** Tag of field 1 with a length, the only field of most messages of one value. */
const FIRST_FIELD = 0x0a

/** Copies a text, which has the same bytes in both forms apart from escapes. */
export function transcodeText(t: Transcription, tag: number, room: Room): void {
  const { json: source, out: target } = t
  if (source[t.pos] !== QUOTE) giveUp()
  const from = t.open(tag, room)
  const left = room.bytes
  const { length } = source
  let read = t.pos + 1
  let written = t.at
  for (; read < length; read++) {
    const byte = source[read] ?? 0
    if (byte === QUOTE) break
    if (byte !== BACKSLASH) target[written++] = byte
    else if (source[++read] !== LETTER_U) target[written++] = unescaped(source[read] ?? 0)
    else {
      written = writeCodeUnit(target, written, Number.parseInt(source.toString('latin1', read + 1, read + 5), 16))
      if (written < 0) giveUp()
      read += 4
    }
  }
  t.pos = read + 1
  t.at = written
  t.close(from, left, room)
}

/** Transcodes a non-negative integer of up to 32 bits. Other integers are parsed and encoded. */
export function transcodeInteger(t: Transcription, value: ValueLayout): void {
  const { json, pos } = t
  let read = pos
  let number = 0
  for (; ; read++) {
    const digit = (json[read] ?? 0) - ZERO
    if (!(digit >= 0 && digit <= 9)) break
    number = 10 * number + digit
  }
  const next = json[read]
  const ended = next === COMMA || next === CLOSE_BRACE || next === CLOSE_BRACKET
  if (!ended || read === pos || read - pos > SAFE_DIGITS || number > 0xffffffff) transcodeOther(t, value)
  else {
    t.varint(value.tag)
    t.varint(number)
    t.pos = read
  }
}

/** Transcodes a boolean. False is written as well, because the member is present. */
export function transcodeBoolean(t: Transcription, tag: number): void {
  const isTrue = t.json[t.pos] === LETTER_T
  if (!isTrue && t.json[t.pos] !== LETTER_F) giveUp()
  t.varint(tag)
  t.out[t.at++] = isTrue ? 1 : 0
  t.pos += isTrue ? 4 : 5
}

/** Writes a message of seconds since 1970 and nanoseconds, which are 0 because stored times are whole seconds. */
export function transcodeTime(t: Transcription, value: ValueLayout): void {
  const seconds = secondsAt(t.json, t.pos)
  if (seconds < 0) {
    transcodeOther(t, value)
    return
  }
  const from = t.open(value.tag, value.room)
  const room = value.room.bytes
  t.out[t.at++] = 0x08
  t.varint(seconds)
  t.out[t.at++] = 0x10
  t.out[t.at++] = 0
  t.pos += TIME_BYTES
  t.close(from, room, value.room)
}

/** Writes a message that holds the text of the quantity. */
export function transcodeQuantity(t: Transcription, value: ValueLayout): void {
  if (t.json[t.pos] !== QUOTE) {
    transcodeOther(t, value)
    return
  }
  const { tag, room, inner } = value
  const from = t.open(tag, room)
  const left = room.bytes
  transcodeText(t, FIRST_FIELD, inner)
  t.close(from, left, room)
}

/**
 * Copies JSON into a message unchanged. In the form `raw`, JSON escapes that the message spells differently make the
 * value be parsed and encoded.
 */
export function transcodeRaw(t: Transcription, value: ValueLayout): void {
  const begun = t.pos
  const plain = t.skip()
  if (!plain && value.form === 'raw') {
    t.pos = begun
    transcodeOther(t, value)
    return
  }
  const from = t.open(value.tag, value.room)
  const left = value.room.bytes
  const inside = t.open(FIRST_FIELD, value.inner)
  const leftInside = value.inner.bytes
  t.at = copyBytes(t.out, t.at, t.json, begun, t.pos)
  t.close(inside, leftInside, value.inner)
  t.close(from, left, value.room)
}

/** Parses a value and encodes it as objects are, for values without a faster path. */
export function transcodeOther(t: Transcription, { number, schema }: ValueLayout): void {
  const begun = t.pos
  t.skip()
  t.append(encodeField(number, schema, parseJson(t.json.subarray(begun, t.pos)).value, true))
}
