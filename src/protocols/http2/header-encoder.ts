import { eachField } from '../../lib/raw-fields.ts'
import { STATIC_TABLE } from './static-table.ts'

/**
 * Header blocks (HPACK, RFC 7541). Nothing is put into the dynamic table: a few headers cost less to write out than to look up, and need no order among the streams.
 */

const indexes = new Map<string, number>()
for (const [index, [name, value]] of STATIC_TABLE.entries()) {
  if (!indexes.has(name)) indexes.set(name, index + 1)
  if (value !== '') indexes.set(`${name} ${value}`, index + 1)
}

/** The dynamic table is given up, which says the first block of a connection: then no later limit of the client's needs an answer. */
export const TABLE_GIVEN_UP = 0x20

let out = Buffer.allocUnsafeSlow(8 * 1024)
let at = 0

/** What a text and its length take at most. */
const roomFor = (text: string): number => text.length + 5

function reserve(bytes: number): void {
  if (at + bytes <= out.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (at + bytes))
  out.copy(larger, 0, 0, at)
  out = larger
}

function writeInteger(value: number, bits: number, pattern: number): void {
  const most = (1 << bits) - 1
  if (value < most) {
    out[at++] = pattern | value
    return
  }
  out[at++] = pattern | most
  let rest = value - most
  for (; rest >= 0x80; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80
  out[at++] = rest
}

function writeText(text: string): void {
  reserve(roomFor(text))
  writeInteger(text.length, 7, 0)
  at += out.write(text, at, 'latin1')
}

/** A field that no table keeps. */
function writeField(name: string, value: string): void {
  reserve(5)
  const index = indexes.get(name)
  if (index === undefined) {
    out[at++] = 0
    writeText(name)
  } else writeInteger(index, 4, 0)
  writeText(value)
}

function writeStatus(status: number): void {
  const index = indexes.get(`:status ${status}`)
  if (index === undefined) writeField(':status', String(status))
  else out[at++] = 0x80 | index
}

/** The block of a request, or any that is to be made once: names in lower case, the fields whole where the static table has them. Good until the next call. */
export function encodeFields(fields: readonly string[]): Buffer {
  at = 0
  eachField(fields, (name, value) => {
    const index = value === '' ? undefined : indexes.get(`${name} ${value}`)
    if (index === undefined) writeField(name, value)
    else {
      reserve(1)
      out[at++] = 0x80 | index
    }
  })
  return out.subarray(0, at)
}

let dateSecond = 0
let dateText = ''

/** Of now, to the second. */
function date(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(second * 1000).toUTCString()
  }
  return dateText
}

const INVALID_VALUE = /[^\t\x20-\x7e\x80-\xff]/
const INVALID_NAME = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/

/** Throws a TypeError where a header can't be sent. */
export function checkField(name: string, value: string): void {
  if (name === '' || INVALID_NAME.test(name) || INVALID_VALUE.test(value))
    throw new TypeError(`the header ${JSON.stringify(name)} has a character that can't be sent`)
}

/** The block of an answer, with its date: names of any case, values of one byte a character. Good until the next call. Throws a TypeError where a header can't be sent. */
export function encodeHeaders(status: number, headers: readonly string[], first: boolean): Buffer {
  at = 0
  if (first) out[at++] = TABLE_GIVEN_UP
  writeStatus(status)
  if (status >= 200) writeField('date', date())
  eachField(headers, writeHeader)
  return out.subarray(0, at)
}

function writeHeader(name: string, value: string): void {
  checkField(name, value)
  writeField(lowerOf(name), value)
}

const lowered = new Map<string, string>()

/** Few names are sent, and each ever again. */
function lowerOf(name: string): string {
  let lower = lowered.get(name)
  if (lower === undefined) {
    lower = name.toLowerCase()
    if (lowered.size < 256) lowered.set(name, lower)
  }
  return lower
}
