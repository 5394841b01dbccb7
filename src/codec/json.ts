import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject, KubeObject } from '../meta/object.ts'
import { isInOrder } from '../schema/order.ts'
import type { StructSchema } from '../schema/schema.ts'
import { type ParsedJson, parseExactly } from './json-exact.ts'
import { writeStruct } from './json-writer.ts'

export type { ParsedJson } from './json-exact.ts'
export { JsonSyntaxError } from './json-exact.ts'
export { goJson } from './json-writer.ts'

/** Numbers beyond 2^53 or of a large exponent, and fractions that may be whole (`1.0`), by their first digits; also finds what is within a string, which costs time only. */
const oddNumber = /(?:^|[\s:,[])-?(?:\d{16}|\d+(?:\.\d+)?[eE]|\d+\.0+(?![\d]))/
const maxDepth = 10_000

/**
 * Parses a body as Go does. Throws JsonSyntaxError with Go's text. Integers beyond 2^53 are bigint. Invalid UTF-8 and lone surrogates become U+FFFD.
 */
export function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) return parseExactly(bytes)
  const text = bytes.toString('utf8')
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return parseExactly(bytes)
  }
  if (hasRepeated(text, value) || oddNumber.test(text) || text.includes('\\ud') || text.includes('\\uD')) return parseExactly(bytes)
  return { value, duplicates: [] }
}

/** Whether the text has more members than the value, or is nested too deeply. */
function hasRepeated(text: string, value: Json): boolean {
  let colons = 0
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === 0x22) {
      do {
        i = text.indexOf('"', i + 1)
      } while (text.charCodeAt(i - 1) === 0x5c && isEscaped(text, i))
    } else if (c === 0x3a) colons++
    else if (c === 0x7b || c === 0x5b) {
      if (++depth > deepest) deepest = depth
    } else if (c === 0x7d || c === 0x5d) depth--
  }
  return deepest > maxDepth || colons !== countMembers(value)
}

function isEscaped(text: string, at: number): boolean {
  let start = at
  while (text.charCodeAt(start - 1) === 0x5c) start--
  return (at - start) % 2 === 1
}

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

const escaped = /[<>&\u2028\u2029]/
const escapedAll = /[<>&\u2028\u2029]/g
const loneSurrogate = /\\ud[89a-f]/

/**
 * A normalised object as Go's encoder writes it, without a newline: fields in declared order, map keys sorted by bytes, `<`, `>`, `&`, U+2028 and U+2029 escaped.
 */
export function encodeJson(schema: StructSchema, object: KubeObject | JsonObject): Buffer {
  return Buffer.from(encodeJsonText(schema, object as JsonObject))
}

/** The same as a string. */
export function encodeJsonText(schema: StructSchema, object: JsonObject): string {
  if (!isInOrder(schema, object)) return writeStruct(schema, object)
  let text: string
  try {
    text = JSON.stringify(object)
  } catch {
    return writeStruct(schema, object) // a bigint
  }
  if (loneSurrogate.test(text)) return writeStruct(schema, object)
  return escaped.test(text) ? text.replace(escapedAll, escapeOne) : text
}

/** The text of JSON with what Go escapes for HTML escaped. */
export const escapeHtml = (text: string): string => (escaped.test(text) ? text.replace(escapedAll, escapeOne) : text)

const escapeOne = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
