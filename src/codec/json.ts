import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '../api/meta/object.ts'
import { runAtOnce, type Steps } from '../lib/steps.ts'
import { isLongText, textChunks } from '../lib/text-chunks.ts'
import { goJson } from '../schema/json-text.ts'
import { isInOrder } from '../schema/order.ts'
import type { FormName, StructSchema } from '../schema/schema.ts'
import { parseInChunks, stringEnd } from './json-chunks.ts'
import { type ParsedJson, parseExactlyInSteps } from './json-exact.ts'
import { goJsonInSteps, rawJsonInSteps } from './json-in-steps.ts'
import { protectJsonNames } from './json-names.ts'
import { writeStruct } from './json-writer.ts'

export { goJson, partlySortedJson } from '../schema/json-text.ts'
export type { ParsedJson } from './json-exact.ts'
export { parseExactlyInSteps } from './json-exact.ts'
export { JsonSyntaxError } from './json-scanner.ts'

protectJsonNames()

/** Nesting limit of Go's encoding/json. Deeper texts are left to the exact parser, which reports Go's error. */
const MAX_DEPTH = 10_000

/**
 * Parses a body as Go does. Integers beyond 2^53 are bigint; invalid UTF-8 and lone surrogates become U+FFFD. Throws
 * JsonSyntaxError with Go's text.
 */
export const parseJson = (bytes: Buffer): ParsedJson => runAtOnce(parseJsonInSteps(bytes))

/** Like `parseJson`, in steps, for bodies that may be large. */
export function* parseJsonInSteps(bytes: Buffer): Steps<ParsedJson> {
  if (!isUtf8(bytes)) return yield* parseExactlyInSteps(bytes)
  const value = yield* parsePlain(bytes.toString('utf8'))
  if (value !== undefined) return { value, duplicates: [] }
  yield
  return yield* parseExactlyInSteps(bytes)
}

/**
 * Matches an escaped surrogate, and some texts without one. A search for a substring that begins with a backslash takes
 * ten times as long in a text of backslashes.
 */
const ESCAPED_SURROGATE = /\\u[dD]/

/** Longest text in characters that is parsed in one call. */
const SHORT = 32 * 1024

/**
 * Parses a JSON text that JSON.parse reads without loss: no member is repeated, no number loses digits. Undefined for
 * any other text, including text that is not JSON.
 */
export function* parsePlain(text: string): Steps<Json | undefined> {
  return text.length > SHORT ? yield* parseInChunks(text, parsePlainAtOnce) : parsePlainAtOnce(text)
}

function parsePlainAtOnce(text: string): Json | undefined {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const members = plainMembers(text)
  return members !== undefined && members === countMembers(value) ? value : undefined
}

/**
 * Counts the members of a text: JSON.parse has lost none if its value has as many. Undefined if the text is nested too
 * deeply, or has a number that may have lost digits, a zero fraction (`1.0` is not an integer), a negative zero, or an
 * escaped surrogate that may be unpaired.
 */
function plainMembers(text: string): number | undefined {
  let colons = 0
  let depth = 0
  let deepest = 0
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x22) {
      i = stringEnd(text, i)
      digits = 0
    } else if (c >= 0x30 && c <= 0x39) {
      if (++digits === 16 || (c === 0x30 && digits === 1 && text.charCodeAt(i - 1) === 0x2d)) return undefined
    } else {
      if (c === 0x3a) colons++
      else if (c === 0x7b || c === 0x5b) {
        if (++depth > deepest) deepest = depth
      } else if (c === 0x7d || c === 0x5d) depth--
      else if (digits > 0 && (c === 0x65 || c === 0x45 || (c === 0x2e && zeroFraction(text, i + 1)))) return undefined
      digits = 0
    }
  }
  return deepest > MAX_DEPTH || ESCAPED_SURROGATE.test(text) ? undefined : colons
}

/** Whether the digits after a decimal point are all zeros. */
function zeroFraction(text: string, from: number): boolean {
  let at = from
  while (text.charCodeAt(at) === 0x30) at++
  const c = text.charCodeAt(at)
  return !(c >= 0x31 && c <= 0x39)
}

/**
 * Counts members at every depth. Uses an explicit stack, because a value may be nested as deeply as JSON.parse allows.
 */
function countMembers(root: Json): number {
  if (typeof root !== 'object' || root === null) return 0
  let count = 0
  const stack: (JsonObject | Json[])[] = [root]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (Array.isArray(node)) {
      for (const item of node) if (typeof item === 'object' && item !== null) stack.push(item)
    } else {
      for (const key in node) {
        count++
        const member = node[key]
        if (typeof member === 'object' && member !== null) stack.push(member)
      }
    }
  }
  return count
}

const ESCAPED_ALL = /[<>&\u2028\u2029]/g

/** Searching for single characters is much faster than matching a class of them. */
const hasMarkup = (text: string): boolean =>
  text.includes('<') || text.includes('>') || text.includes('&') || text.includes('\u2028') || text.includes('\u2029')

/**
 * Encodes a normalised object like Go's encoder, without a trailing newline: fields in declared order, map keys sorted
 * by bytes, and `<`, `>`, `&`, U+2028 and U+2029 escaped.
 */
export function encodeJson(schema: StructSchema, object: JsonObject): Buffer {
  return Buffer.from(encodeJsonText(schema, object))
}

/** Like `encodeJson`, in steps, for objects that may be large. */
export const encodeJsonInSteps = (schema: StructSchema, object: JsonObject): Steps<Buffer> =>
  WRITERS[schema.form.name].bytesInSteps(schema, object)

/** Encodes any JSON value with its members in their own order, in steps. */
export function* rawJsonBytes(value: Json): Steps<Buffer> {
  return yield* partBuffers(yield* rawJsonInSteps(value))
}

/** Like `encodeJson`, as a string. */
export const encodeJsonText = (schema: StructSchema, object: JsonObject): string => WRITERS[schema.form.name].text(schema, object)

/** Most elements of an object that is written in one call. */
const MOST_AT_ONCE = 4096

interface JsonWriter {
  text(schema: StructSchema, object: JsonObject): string
  bytesInSteps(schema: StructSchema, object: JsonObject): Steps<Buffer>
}

const WRITERS: Readonly<Record<FormName, JsonWriter>> = {
  typed: {
    text: (schema, object) => textBy(schema, object, isInOrder(schema, object)),
    /** Most objects are in order, and JSON.stringify writes them quickly. */
    *bytesInSteps(schema, object) {
      const text = isInOrder(schema, object, MOST_AT_ONCE) ? nativeText(object) : undefined
      if (text === undefined) {
        yield
        return yield* partBuffers(yield* goJsonInSteps(object, schema))
      }
      if (!isLongText(text)) return Buffer.from(escapeHtml(text))
      yield
      return yield* partBuffers(textChunks(text), escapeHtml)
    },
  },
  unstructured: {
    text: (_schema, object) => goJson(object),
    *bytesInSteps(_schema, object) {
      return yield* partBuffers(yield* goJsonInSteps(object))
    },
  },
}

function* partBuffers(parts: Iterable<string>, write = (text: string): string => text): Steps<Buffer> {
  const buffers: Buffer[] = []
  for (const part of parts) {
    buffers.push(Buffer.from(write(part)))
    yield
  }
  return buffers.length === 1 && buffers[0] ? buffers[0] : Buffer.concat(buffers)
}

function textBy(schema: StructSchema, object: JsonObject, inOrder: boolean): string {
  const text = inOrder ? nativeText(object) : undefined
  return text === undefined ? writeStruct(schema, object) : escapeHtml(text)
}

/** Writes an object by JSON.stringify. Undefined if the result would differ from Go's. */
function nativeText(object: JsonObject): string | undefined {
  let text: string
  try {
    text = JSON.stringify(object)
  } catch {
    return undefined // a bigint
  }
  // JSON.stringify escapes lone surrogates; Go writes U+FFFD.
  return text.includes('\\ud') ? undefined : text
}

/** Escapes the characters of a JSON text that Go escapes for HTML. */
export const escapeHtml = (text: string): string => (hasMarkup(text) ? text.replace(ESCAPED_ALL, escapeOne) : text)

const escapeOne = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
