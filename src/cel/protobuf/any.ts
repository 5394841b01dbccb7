import { CelError, type Value } from '../values/value.ts'
import type { FieldValues } from './encoded.ts'
import { encodedFields } from './encoded.ts'

/**
 * Returns the message in a google.protobuf.Any. If its type is unknown or its encoding malformed, returns an error that
 * prints the Any.
 */
export function anyValue(fields: FieldValues, make: (name: string, fields: FieldValues) => Value | undefined): Value {
  const url = fields.get('type_url')
  const encoded = fields.get('value')
  const type = typeof url === 'string' ? url : ''
  const bytes = encoded instanceof Uint8Array ? encoded : new Uint8Array()
  const name = type.slice(type.lastIndexOf('/') + 1)
  const held = encodedFields(name, bytes)
  const value = held && make(name, held)
  if (value !== undefined) return value
  const parts = [...(type === '' ? [] : [`type_url:${quote(Buffer.from(type))}`]), ...(bytes.length === 0 ? [] : [`value:${quote(bytes)}`])]
  return new CelError(`unsupported conversion to ref.Val: (*dynamicpb.Message)${parts.join('  ')}`)
}

/** Escapes of protobuf's text format. Other control characters are written as hexadecimal. */
const ESCAPES: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }
const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, '0')}`

/** Quotes strings and bytes as protobuf's text format does. */
function quote(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8')
  // Invalid UTF-8 is printed byte by byte.
  const plain = Buffer.from(text).equals(bytes) ? text : undefined
  const characters = plain === undefined ? Array.from(bytes, byte => (byte < 0x80 ? String.fromCharCode(byte) : hex(byte))) : [...plain]
  return `"${characters.map(char => (char.length === 1 ? escapeAnyChar(char) : char)).join('')}"`
}

function escapeAnyChar(char: string): string {
  const code = char.charCodeAt(0)
  return ESCAPES[char] ?? (code < 0x20 || code === 0x7f ? hex(code) : char)
}
