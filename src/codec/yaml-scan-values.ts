import type { YamlCursor } from './yaml-cursor.ts'

/* Scanners for the values that go-yaml 2 reads to their end in one go. Each leaves the cursor after the value and throws YamlProblem. Source: scannerc.go in sigs.k8s.io/yaml/goyaml.v2. */

const WORD = /^[0-9A-Za-z_-]$/
const URI = /^[0-9A-Za-z_;/?:@&=+$,.!~*'()[\]-]$/
const HEX = /^[0-9A-Fa-f]$/
const DIGIT = /^[0-9]$/
/** Number of hexadecimal digits of each numeric escape. */
const ESCAPED_DIGITS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])
const ESCAPES = '0abt\tnvfre "\'\\N_LP'

/** Reads a run of word characters, which may be empty. */
function readWord(cursor: YamlCursor): string {
  let word = ''
  for (; WORD.test(cursor.char); cursor.skip()) word += cursor.char
  return word
}

/** Scans `%YAML 1.1` or `%TAG !e! prefix`, up to the next line. `value`: the version number, or the handle of the tag. */
export function scanDirective(cursor: YamlCursor): { type: 'version' | 'tag directive'; value: string } {
  cursor.skip()
  const name = readWord(cursor)
  if (name === '') cursor.fail('could not find expected directive name')
  if (!cursor.isBlankOrEnd()) cursor.fail('found unexpected non-alphabetical character')
  if (name !== 'YAML' && name !== 'TAG') cursor.fail('found unknown directive name')
  cursor.skipBlanks()
  const value = name === 'YAML' ? scanVersion(cursor) : scanTagDirective(cursor)
  endLine(cursor)
  return { type: name === 'YAML' ? 'version' : 'tag directive', value }
}

/** Scans `1.1` and returns it. */
function scanVersion(cursor: YamlCursor): string {
  const major = scanNumber(cursor)
  if (cursor.char !== '.') cursor.fail("did not find expected digit or '.' character")
  cursor.skip()
  return `${major}.${scanNumber(cursor)}`
}

function scanNumber(cursor: YamlCursor): number {
  let digits = ''
  for (; DIGIT.test(cursor.char); cursor.skip()) {
    digits += cursor.char
    if (digits.length > 2) cursor.fail('found extremely long version number')
  }
  if (digits === '') cursor.fail('did not find expected version number')
  return Number(digits)
}

function scanTagDirective(cursor: YamlCursor): string {
  const handle = scanHandle(cursor, true)
  if (!cursor.isBlank()) cursor.fail('did not find expected whitespace')
  cursor.skipBlanks()
  scanUri(cursor, false)
  if (!cursor.isBlankOrEnd()) cursor.fail('did not find expected whitespace or line break')
  return handle
}

/** Scans the rest of a line, which may only hold a comment. */
function endLine(cursor: YamlCursor): void {
  cursor.skipBlanks()
  cursor.skipComment()
  if (cursor.isBreak()) cursor.skipLine()
  else if (!cursor.isEnd()) cursor.fail('did not find expected comment or line break')
}

/** Scans an anchor or alias and returns its name. */
export function scanAnchor(cursor: YamlCursor): string {
  cursor.skip()
  const name = readWord(cursor)
  if (name === '' || !(cursor.isBlankOrEnd() || '?:,]}%@`'.includes(cursor.char))) cursor.fail('did not find expected alphabetic or numeric character')
  return name
}

/** Scans a tag and returns its handle; empty for a verbatim tag and for `!` alone. */
export function scanTag(cursor: YamlCursor): string {
  let handle = ''
  if (cursor.charAt(1) === '<') {
    cursor.skip()
    cursor.skip()
    scanUri(cursor, false)
    if (cursor.char !== '>') cursor.fail("did not find the expected '>'")
    cursor.skip()
  } else {
    handle = scanHandle(cursor, false)
    const isNamed = handle.length > 1 && handle.endsWith('!')
    const hasUri = scanUri(cursor, !isNamed)
    if (!isNamed) handle = handle.length > 1 || hasUri ? '!' : ''
  }
  if (!cursor.isBlankOrEnd()) cursor.fail('did not find expected whitespace or line break')
  return handle
}

/** Scans a tag handle: `!`, `!!`, `!e!`, or the beginning of a local tag such as `!local`. */
function scanHandle(cursor: YamlCursor, ofDirective: boolean): string {
  if (cursor.char !== '!') cursor.fail("did not find expected '!'")
  cursor.skip()
  const handle = `!${readWord(cursor)}`
  if (cursor.char === '!') {
    cursor.skip()
    return `${handle}!`
  }
  if (ofDirective && handle !== '!') cursor.fail("did not find expected '!'")
  return handle
}

/** Scans a URI and returns whether it has any characters. `mayBeEmpty`: its beginning has been read already. */
function scanUri(cursor: YamlCursor, mayBeEmpty: boolean): boolean {
  const from = cursor.at
  while (URI.test(cursor.char) || cursor.char === '%') {
    if (cursor.char === '%') scanEscapedOctets(cursor)
    else cursor.skip()
  }
  if (cursor.at === from && !mayBeEmpty) cursor.fail('did not find expected tag URI')
  return cursor.at > from
}

/** Scans the percent-encoded bytes of one character. */
function scanEscapedOctets(cursor: YamlCursor): void {
  for (let left = 0, isFirst = true; isFirst || left > 0; left--) {
    if (cursor.char !== '%' || !HEX.test(cursor.charAt(1)) || !HEX.test(cursor.charAt(2))) cursor.fail('did not find URI escaped octet')
    const octet = Number.parseInt(cursor.charAt(1) + cursor.charAt(2), 16)
    if (isFirst) {
      left = octet < 0x80 ? 1 : octet >= 0xc0 && octet < 0xe0 ? 2 : octet >= 0xe0 && octet < 0xf0 ? 3 : octet >= 0xf0 && octet < 0xf8 ? 4 : 0
      if (left === 0) cursor.fail('found an incorrect leading UTF-8 octet')
      isFirst = false
    } else if ((octet & 0xc0) !== 0x80) cursor.fail('found an incorrect trailing UTF-8 octet')
    for (let i = 0; i < 3; i++) cursor.skip()
  }
}

/** Scans a literal or folded scalar. `around`: column of the enclosing collection, -1 at the root. */
export function scanBlockScalar(cursor: YamlCursor, around: number): void {
  cursor.skip()
  const increment = scanIndicators(cursor)
  endLine(cursor)
  const wanted = increment > 0 ? Math.max(around, 0) + increment : 0
  const indent = skipBlankLines(cursor, wanted, around)
  while (cursor.column === indent && !cursor.isEnd()) {
    while (!cursor.isBreak() && !cursor.isEnd()) cursor.skip()
    if (cursor.isBreak()) cursor.skipLine()
    skipBlankLines(cursor, indent, around)
  }
}

/** Scans the chomping indicator `+` or `-` and the indentation, in any order. Returns the indentation; 0 if it is not given. */
function scanIndicators(cursor: YamlCursor): number {
  const skipsChomping = (): boolean => {
    if (cursor.char !== '+' && cursor.char !== '-') return false
    cursor.skip()
    return true
  }
  const isChomped = skipsChomping()
  if (!DIGIT.test(cursor.char)) return 0
  if (cursor.char === '0') cursor.fail('found an indentation indicator equal to 0')
  const increment = Number(cursor.char)
  cursor.skip()
  if (!isChomped) skipsChomping()
  return increment
}

/** Skips empty lines and the indentation of the next line. `wanted`: indentation of the scalar, 0 if its first line determines it. Returns the indentation. */
function skipBlankLines(cursor: YamlCursor, wanted: number, around: number): number {
  let widest = 0
  for (;;) {
    while ((wanted === 0 || cursor.column < wanted) && cursor.char === ' ') cursor.skip()
    widest = Math.max(widest, cursor.column)
    if ((wanted === 0 || cursor.column < wanted) && cursor.char === '\t') cursor.fail('found a tab character where an indentation space is expected')
    if (!cursor.isBreak()) return wanted === 0 ? Math.max(widest, around + 1, 1) : wanted
    cursor.skipLine()
  }
}

/** Scans a quoted scalar. */
export function scanQuoted(cursor: YamlCursor, quote: "'" | '"'): void {
  cursor.skip()
  for (;;) {
    if (cursor.documentMark() !== undefined) cursor.fail('found unexpected document indicator')
    if (cursor.isEnd()) cursor.fail('found unexpected end of stream')
    scanQuotedWord(cursor, quote)
    if (cursor.char === quote) break
    while (cursor.isBlank() || cursor.isBreak()) skipSpace(cursor)
  }
  cursor.skip()
}

function skipSpace(cursor: YamlCursor): void {
  if (cursor.isBreak()) cursor.skipLine()
  else cursor.skip()
}

/** Scans up to a blank, a line break, the end of the text or the closing quote. */
function scanQuotedWord(cursor: YamlCursor, quote: "'" | '"'): void {
  while (!cursor.isBlankOrEnd()) {
    if (cursor.char === quote) {
      if (quote === '"' || cursor.charAt(1) !== "'") return
      cursor.skip()
      cursor.skip()
    } else if (quote === '"' && cursor.char === '\\') {
      if (cursor.isBreak(1)) {
        cursor.skip()
        cursor.skipLine()
        return
      }
      scanEscape(cursor)
    } else cursor.skip()
  }
}

function scanEscape(cursor: YamlCursor): void {
  const code = cursor.charAt(1)
  const digits = ESCAPED_DIGITS.get(code) ?? 0
  if (digits === 0 && (code === '' || !ESCAPES.includes(code))) cursor.fail('found unknown escape character')
  cursor.skip()
  cursor.skip()
  let value = 0
  for (let i = 0; i < digits; i++) {
    if (!HEX.test(cursor.charAt(i))) cursor.fail('did not find expected hexdecimal number')
    value = value * 16 + Number.parseInt(cursor.charAt(i), 16)
  }
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff) cursor.fail('found invalid Unicode character escape code')
  for (let i = 0; i < digits; i++) cursor.skip()
}

/** Scans a plain scalar whose continuation lines are indented by at least `indent`. Returns whether it ends with a line break. */
export function scanPlain(cursor: YamlCursor, indent: number, inFlow: boolean): boolean {
  let brokeLine = false
  for (;;) {
    if (cursor.documentMark() !== undefined || cursor.char === '#') return brokeLine
    while (!cursor.isBlankOrEnd()) {
      if ((cursor.char === ':' && cursor.isBlankOrEnd(1)) || (inFlow && ',?[]{}'.includes(cursor.char))) break
      brokeLine = false
      cursor.skip()
    }
    if (!cursor.isBlank() && !cursor.isBreak()) return brokeLine
    while (cursor.isBlank() || cursor.isBreak()) {
      if (brokeLine && cursor.column < indent && cursor.char === '\t') cursor.fail('found a tab character that violates indentation')
      if (cursor.isBreak()) brokeLine = true
      skipSpace(cursor)
    }
    if (!inFlow && cursor.column < indent) return brokeLine
  }
}
