const SHORT: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
}
const ESCAPE = /\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)/gs

/**
 * Returns the text of a quoted string, raw string or character as Go writes it. Undefined if it has an invalid escape.
 */
export function unquote(literal: string): string | undefined {
  const text = literal.slice(1, -1)
  if (literal.startsWith('`')) return text.replaceAll('\r', '')
  let isValid = true
  const value = text.replace(ESCAPE, found => {
    const character = unescapedCode(found.slice(1))
    isValid &&= character !== undefined
    return character ?? ''
  })
  return isValid ? value : undefined
}

/** Returns the character of an escape without its backslash. */
function unescapedCode(code: string): string | undefined {
  if (code.length === 1) return Object.hasOwn(SHORT, code) ? SHORT[code] : undefined
  const point = /^[0-7]/.test(code) ? Number.parseInt(code, 8) : Number.parseInt(code.slice(1), 16)
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined
}
