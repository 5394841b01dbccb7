const QUOTE = 0x22
const BACKSLASH = 0x5c
const HEX = Buffer.from('0123456789abcdef')

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const timeSpecial = /["\\\0-\x1f\x80-\uffff]/

/** A text in double quotes as Go's time package quotes it: bytes beyond ASCII as `\x..`. */
export function goQuote(text: string): string {
  if (!timeSpecial.test(text)) return `"${text}"`
  const bytes = Buffer.from(text)
  const out = Buffer.allocUnsafe(4 * bytes.length)
  let at = 0
  for (const byte of bytes) {
    if (byte >= 0x20 && byte < 0x80) {
      if (byte === QUOTE || byte === BACKSLASH) out[at++] = BACKSLASH
      out[at++] = byte
    } else {
      out[at++] = BACKSLASH
      out[at++] = 0x78
      out[at++] = HEX[byte >> 4] as number
      out[at++] = HEX[byte & 15] as number
    }
  }
  return `"${out.toString('latin1', 0, at)}"`
}

const escapes: Readonly<Record<string, string>> = {
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

/** strconv.Quote (`%q`). */
export function strconvQuote(text: string): string {
  if (plainAscii.test(text)) return `"${text}"`
  let out = '"'
  for (const char of text) {
    const code = char.codePointAt(0) as number
    const short = escapes[char]
    if (short !== undefined) out += short
    else if (code < 0x20 || code === 0x7f) out += `\\x${code.toString(16).padStart(2, '0')}`
    else if (code >= 0xd800 && code <= 0xdfff) out += '\ufffd'
    else if (code < 0x7f || printable.test(char)) out += char
    else if (code < 0x10000) out += `\\u${code.toString(16).padStart(4, '0')}`
    else out += `\\U${code.toString(16).padStart(8, '0')}`
  }
  return `${out}"`
}

/** What is quoted as it stands: long texts take no time. */
const plainAscii = /^[ !#-[\]-~]*$/

/** Letters, marks, numbers, punctuation, symbols: strconv.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u
