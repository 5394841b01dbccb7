import type { YamlCursor } from './yaml-cursor.ts'

/* Scanners for directives, anchors and tags, which go-yaml 2 reads to their end in one go. Each leaves the cursor after the value and throws YamlProblem. Source: scannerc.go in sigs.k8s.io/yaml/goyaml.v2. */

const WORD = /^[0-9A-Za-z_-]$/
const URI = /^[0-9A-Za-z_;/?:@&=+$,.!~*'()[\]-]$/
const HEX = /^[0-9A-Fa-f]$/
const DIGIT = /^[0-9]$/

/** Reads a run of word characters, which may be empty. */
function readWord(cursor: YamlCursor): string {
  let word = ''
  for (; WORD.test(cursor.char); cursor.skip()) word += cursor.char
  return word
}

/**
 * A directive. `value`: the version number, or the handle of the tag. `suffix`: the prefix that the handle stands for.
 */
interface Directive {
  readonly type: 'version' | 'tag directive'
  readonly value: string
  readonly suffix: string
}

/** Scans `%YAML 1.1` or `%TAG !e! prefix`, up to the next line. */
export function scanDirective(cursor: YamlCursor): Directive {
  cursor.skip()
  const name = readWord(cursor)
  if (name === '') cursor.fail('could not find expected directive name')
  if (!cursor.isBlankOrEnd()) cursor.fail('found unexpected non-alphabetical character')
  if (name !== 'YAML' && name !== 'TAG') cursor.fail('found unknown directive name')
  cursor.skipBlanks()
  const directive: Directive = name === 'YAML' ? { type: 'version', value: scanVersion(cursor), suffix: '' } : scanTagDirective(cursor)
  endLine(cursor)
  return directive
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

function scanTagDirective(cursor: YamlCursor): Directive {
  const value = scanHandle(cursor, true)
  if (!cursor.isBlank()) cursor.fail('did not find expected whitespace')
  cursor.skipBlanks()
  const suffix = scanUri(cursor, '')
  if (!cursor.isBlankOrEnd()) cursor.fail('did not find expected whitespace or line break')
  return { type: 'tag directive', value, suffix }
}

/** Scans the rest of a line, which may only hold a comment. */
export function endLine(cursor: YamlCursor): void {
  cursor.skipBlanks()
  cursor.skipComment()
  if (cursor.isBreak()) cursor.skipLine()
  else if (!cursor.isEnd()) cursor.fail('did not find expected comment or line break')
}

/** Scans an anchor or alias and returns its name. */
export function scanAnchor(cursor: YamlCursor): string {
  cursor.skip()
  const name = readWord(cursor)
  if (name === '' || !(cursor.isBlankOrEnd() || '?:,]}%@`'.includes(cursor.char)))
    cursor.fail('did not find expected alphabetic or numeric character')
  return name
}

/** A tag. `value`: its handle; empty for a verbatim tag and for `!` alone. `suffix`: the rest of the tag. */
interface Tag {
  readonly value: string
  readonly suffix: string
}

/** Scans a tag. */
export function scanTag(cursor: YamlCursor): Tag {
  const tag = cursor.charAt(1) === '<' ? scanVerbatimTag(cursor) : scanShortTag(cursor)
  if (!cursor.isBlankOrEnd()) cursor.fail('did not find expected whitespace or line break')
  return tag
}

function scanVerbatimTag(cursor: YamlCursor): Tag {
  cursor.skip()
  cursor.skip()
  const suffix = scanUri(cursor, '')
  if (cursor.char !== '>') cursor.fail("did not find the expected '>'")
  cursor.skip()
  return { value: '', suffix }
}

function scanShortTag(cursor: YamlCursor): Tag {
  const handle = scanHandle(cursor, false)
  if (handle.length > 1 && handle.endsWith('!')) return { value: handle, suffix: scanUri(cursor, '') }
  const suffix = scanUri(cursor, handle).slice(1)
  return suffix === '' ? { value: '', suffix: '!' } : { value: '!', suffix }
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

/** Scans a URI and returns it with its beginning, which may have been read already, and with decoded octets. */
function scanUri(cursor: YamlCursor, beginning: string): string {
  let uri = beginning
  while (URI.test(cursor.char) || cursor.char === '%') {
    if (cursor.char === '%') uri += scanEscapedOctets(cursor)
    else {
      uri += cursor.char
      cursor.skip()
    }
  }
  if (uri === '') cursor.fail('did not find expected tag URI')
  return uri
}

/** Scans the percent-encoded bytes of one character and returns it. */
function scanEscapedOctets(cursor: YamlCursor): string {
  const octets: number[] = []
  for (let width = 1; octets.length < width; ) {
    if (cursor.char !== '%' || !HEX.test(cursor.charAt(1)) || !HEX.test(cursor.charAt(2))) cursor.fail('did not find URI escaped octet')
    const octet = Number.parseInt(cursor.charAt(1) + cursor.charAt(2), 16)
    if (octets.length === 0) {
      width =
        octet < 0x80 ? 1 : octet >= 0xc0 && octet < 0xe0 ? 2 : octet >= 0xe0 && octet < 0xf0 ? 3 : octet >= 0xf0 && octet < 0xf8 ? 4 : 0
      if (width === 0) cursor.fail('found an incorrect leading UTF-8 octet')
    } else if ((octet & 0xc0) !== 0x80) cursor.fail('found an incorrect trailing UTF-8 octet')
    octets.push(octet)
    for (let i = 0; i < 3; i++) cursor.skip()
  }
  return Buffer.from(octets).toString('utf8')
}
