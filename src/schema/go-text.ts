/** A text in double quotes as Go's time package quotes it: bytes beyond ASCII as `\x..`. */
export function goQuote(text: string): string {
  let out = '"'
  for (const byte of Buffer.from(text)) {
    if (byte === 0x22 || byte === 0x5c) out += `\\${String.fromCharCode(byte)}`
    else if (byte < 0x20 || byte >= 0x80) out += `\\x${byte.toString(16).padStart(2, '0')}`
    else out += String.fromCharCode(byte)
  }
  return `${out}"`
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

/** Letters, marks, numbers, punctuation, symbols: strconv.IsPrint. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u
