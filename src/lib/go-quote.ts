import { isLongText, textChunks } from './text-chunks.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const HEX = Buffer.from('0123456789abcdef')

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const TIME_SPECIAL = /["\\\0-\x1f\x80-\uffff]/

/** Quotes a text like Go's time package: bytes beyond ASCII become `\x..`. */
export function timeQuote(text: string): string {
  if (!TIME_SPECIAL.test(text)) return `"${text}"`
  const bytes = Buffer.from(text)
  const out = Buffer.allocUnsafe(4 * bytes.length)
  let at = 0
  for (const byte of bytes) {
    if (byte >= 0x20 && byte < 0x80) {
      if (byte === QUOTE || byte === BACKSLASH) out[at++] = BACKSLASH
      out[at++] = byte
    } else {
      at = writeByte(out, at, byte)
    }
  }
  return `"${out.toString('latin1', 0, at)}"`
}

/** Quotes a text like Go's strconv.Quote (`%q`): characters that Go does not consider printable are escaped. */
export function quote(text: string): string {
  // Most texts need no escapes. This is the cheapest test for that.
  if (PLAIN_ASCII.test(text)) return `"${text}"`
  if (!isLongText(text)) return `"${escapeBytes(text)}"`
  return lastLong.quoted(text)
}

/**
 * Caches the last long text that was quoted for one turn of the event loop. An invalid long text often has several
 * errors, which all quote it.
 */
class LastLong {
  #text = ''
  #result = ''

  quoted(text: string): string {
    if (text === this.#text) return this.#result
    if (this.#text === '')
      setImmediate(() => {
        this.#text = ''
        this.#result = ''
      })
    let out = ''
    for (const chunk of textChunks(text)) out += escapeBytes(chunk)
    this.#text = text
    this.#result = `"${out}"`
    return this.#result
  }
}

const lastLong = new LastLong()

/** Escapes byte by byte with a table, because a long text may need an escape for every byte. */
function escapeBytes(text: string): string {
  const bytes = Buffer.from(text)
  const replaced = text.isWellFormed() ? undefined : text.match(REPLACED)?.values()
  // The longest escape relative to its bytes is that of a two-byte character: `\u0085`.
  const out = Buffer.allocUnsafe(4 * bytes.length)
  let to = 0
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0
    if (byte < 0x80) {
      at++
      const escaping = ASCII[byte]
      if (escaping === undefined) out[to++] = byte
      else for (const one of escaping) out[to++] = one
      continue
    }
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    let code = byte & (0x7f >> length)
    for (let i = 1; i < length; i++) code = (code << 6) | ((bytes[at + i] ?? 0) & 0x3f)
    const invalid = code === REPLACEMENT ? invalidByte(replaced?.next().value) : undefined
    if (invalid !== undefined) to = writeByte(out, to, invalid)
    else if (isPrintable(code)) for (let i = 0; i < length; i++) out[to++] = bytes[at + i] ?? 0
    else to = writeEscape(out, to, code)
    at += length
  }
  return out.toString('utf8', 0, to)
}

/** Byte that a lone surrogate U+DC80 to U+DCFF stands for. Undefined for other characters. */
function invalidByte(char = ''): number | undefined {
  const code = char.charCodeAt(0)
  return code >= 0xdc80 && code <= 0xdcff ? code & 0xff : undefined
}

/** Writes `\x` with two digits. Returns the offset after it. */
function writeByte(out: Buffer, at: number, byte: number): number {
  out[at] = BACKSLASH
  out[at + 1] = 0x78
  out[at + 2] = HEX[byte >> 4] ?? 0
  out[at + 3] = HEX[byte & 15] ?? 0
  return at + 4
}

/** Writes `\u` with four digits or `\U` with eight. Returns the offset after it. */
function writeEscape(out: Buffer, at: number, code: number): number {
  out[at] = BACKSLASH
  out[at + 1] = code < 0x10000 ? 0x75 : 0x55
  const end = at + (code < 0x10000 ? 6 : 10)
  for (let i = end - 1, rest = code; i > at + 1; i--, rest >>= 4) out[i] = HEX[rest & 15] ?? 0
  return end
}

/** Escapes of Go that consist of a letter. */
export const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
}

/** Escape of each ASCII character as bytes. Undefined if the character is not escaped. */
const ASCII: readonly (Uint8Array | undefined)[] = Array.from({ length: 0x80 }, (_, code) => {
  const char = String.fromCharCode(code)
  const text = SHORT_ESCAPES[char] ?? (code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : undefined)
  return text === undefined ? undefined : new Uint8Array(Buffer.from(text))
})

const REPLACEMENT = 0xfffd
/** Characters that are encoded as U+FFFD. */
const REPLACED = /[\ufffd\ud800-\udfff]/gu

const PLAIN_ASCII = /^[ !#-[\]-~]*$/

/** Matches letters, marks, numbers, punctuation and symbols, like strconv.IsPrint. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u

/**
 * Cached result for each character beyond ASCII: 0 unknown, 1 printable, 2 not printable. A megabyte of zeros takes no
 * memory until it is written to.
 */
const known = new Uint8Array(0x110000)

function isPrintable(code: number): boolean {
  if (known[code] === 0) known[code] = PRINTABLE.test(String.fromCodePoint(code)) ? 1 : 2
  return known[code] === 1
}

/** Formats a list of texts like Go's `%q`. */
export const quoteAll = (texts: readonly string[]): string => `[${texts.map(quote).join(' ')}]`
