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
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) {
      out += ASCII[unit]
      continue
    }
    const code = text.codePointAt(at) as number
    out += beyondAscii(code)
    if (code > 0xffff) at++
  }
  return `${out}"`
}

function beyondAscii(code: number): string {
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  const char = String.fromCodePoint(code)
  if (printable.test(char)) return char
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** Every character of ASCII as it is quoted. */
const ASCII: readonly string[] = Array.from({ length: 0x80 }, (_, code) => {
  const char = String.fromCharCode(code)
  return escapes[char] ?? (code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : char)
})

/** What is quoted as it stands: long texts take no time. */
const plainAscii = /^[ !#-[\]-~]*$/

/** Letters, marks, numbers, punctuation, symbols: strconv.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u
