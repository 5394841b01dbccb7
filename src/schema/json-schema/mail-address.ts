import { isIP } from 'node:net'

/** What is left of a text that is read from its beginning. */
class Scan {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  get isEmpty(): boolean {
    return this.at >= this.text.length
  }

  /** The next character, or the empty text. */
  peek(): string {
    return this.text.charAt(this.at)
  }

  /** Takes what a sticky pattern finds here; undefined where it finds nothing. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** Whether the alternative holds; where it does not, nothing was taken. */
  attempt(alternative: () => boolean): boolean {
    const start = this.at
    if (alternative()) return true
    this.at = start
    return false
  }

  /** Skips white space and comments; false where a comment has no end. */
  skipComments(): boolean {
    for (;;) {
      this.take(SPACE)
      if (this.peek() !== '(') return true
      if (!this.comment()) return false
    }
  }

  /** A comment, which may hold others. */
  comment(): boolean {
    let depth = 0
    do {
      const char = this.text.charAt(this.at)
      if (char === '\\' && this.at + 1 < this.text.length) this.at++
      else if (char === '(') depth++
      else if (char === ')') depth--
      this.at++
    } while (depth > 0 && !this.isEmpty)
    return depth === 0
  }
}

/** Sticky patterns: they match where the scan stands, and nowhere else. */
const SPACE = /[ \t]*/y
const AT = /@/y
const OPEN = /</y
const CLOSE = />/y
const COLON = /:/y
const COMMA = /,/y
const SEMICOLON = /;/y
/** Visible characters but the specials of RFC 5322; dots stand between atoms. */
const ATOM = /[!#-'*+\-./0-9=?A-Z^-~\u0080-\uffff]+/y
const QUOTED = /"(?:[\t !#-[\]-~\u0080-\uffff]|\\[\t -~\u0080-\uffff])*"/y
const LITERAL = /\[[!-$&-Z^-~\u0080-\uffff]*\]/y

/**
 * Whether a text is one mail address as Go's net/mail reads it: with a name or without, in a group of its own, with comments.
 * Source: RFC 5322, section 3.4.
 */
export function isMailAddress(text: string): boolean {
  const scan = new Scan(text)
  return addresses(scan, true) === 1 && scan.skipComments() && scan.isEmpty
}

/** How many addresses stand here; undefined where there is a mistake. */
function addresses(scan: Scan, allowsGroup: boolean): number | undefined {
  scan.take(SPACE)
  if (scan.isEmpty) return undefined
  if (scan.attempt(() => specification(scan))) {
    scan.take(SPACE)
    return scan.peek() !== '(' || scan.comment() ? 1 : undefined
  }
  if (scan.peek() !== '<' && !phrase(scan)) return undefined
  scan.take(SPACE)
  if (allowsGroup && scan.take(COLON)) return group(scan)
  return scan.take(OPEN) && specification(scan) && scan.take(CLOSE) ? 1 : undefined
}

/** `Name: a@b, c@d;` */
function group(scan: Scan): number | undefined {
  scan.take(SPACE)
  if (scan.take(SEMICOLON)) return 0
  for (let count = 1; ; count++) {
    scan.take(SPACE)
    if (addresses(scan, false) === undefined || !scan.skipComments()) return undefined
    if (scan.take(SEMICOLON)) return scan.skipComments() ? count : undefined
    if (!scan.take(COMMA)) return undefined
  }
}

/** `local@domain`. */
function specification(scan: Scan): boolean {
  scan.take(SPACE)
  const quoted = scan.peek() === '"'
  const local = scan.take(quoted ? QUOTED : ATOM)
  if (local === undefined || local === '""' || (!quoted && !isDotAtom(local)) || !scan.take(AT)) return false
  scan.take(SPACE)
  if (scan.peek() === '[') return isIP(scan.take(LITERAL)?.slice(1, -1) ?? '') > 0
  return isDotAtom(scan.take(ATOM) ?? '')
}

/** Dots stand between atoms, not at the ends and not twice. */
const isDotAtom = (text: string): boolean => text !== '' && !text.startsWith('.') && !text.endsWith('.') && !text.includes('..')

/** Words of a name, of which the first must be one. */
function phrase(scan: Scan): boolean {
  for (let words = 0; ; words++) {
    if (words > 0 && !scan.skipComments()) return false
    scan.take(SPACE)
    if (scan.isEmpty || scan.take(scan.peek() === '"' ? QUOTED : ATOM) === undefined) return words > 0
  }
}
