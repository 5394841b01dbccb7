import { isIP } from 'node:net'

/** A cursor in a text. */
class Scan {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Whether the whole text is consumed. */
  get isEmpty(): boolean {
    return this.#at >= this.#text.length
  }

  /** Returns the next character, or an empty text at the end. */
  peek(): string {
    return this.#text.charAt(this.#at)
  }

  /** Consumes the match of a sticky pattern. Undefined if there is none. */
  take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  /** Tries an alternative. If it fails, returns false without consuming anything. */
  attempt(alternative: () => boolean): boolean {
    const start = this.#at
    if (alternative()) return true
    this.#at = start
    return false
  }

  /** Skips white space and comments. Returns false for an unterminated comment. */
  skipComments(): boolean {
    for (;;) {
      this.take(SPACE)
      if (this.peek() !== '(') return true
      if (!this.comment()) return false
    }
  }

  /** Skips a comment, which can be nested. Returns false if it is not terminated. */
  comment(): boolean {
    let depth = 0
    do {
      const char = this.#text.charAt(this.#at)
      if (char === '\\' && this.#at + 1 < this.#text.length) this.#at++
      else if (char === '(') depth++
      else if (char === ')') depth--
      this.#at++
    } while (depth > 0 && !this.isEmpty)
    return depth === 0
  }
}

/** Sticky patterns, which match only at the cursor. */
const SPACE = /[ \t]*/y
const AT = /@/y
const OPEN = /</y
const CLOSE = />/y
const COLON = /:/y
const COMMA = /,/y
const SEMICOLON = /;/y
/** Visible characters apart from the specials of RFC 5322. Includes the dots between atoms. */
const ATOM = /[!#-'*+\-./0-9=?A-Z^-~\u0080-\uffff]+/y
/** A quoted string (RFC 5322, section 3.2.4), without characters that must be escaped. */
const QUOTED = /"(?:[\t !#-[\]-~\u0080-\uffff]|\\[\t -~\u0080-\uffff])*"/y
/** A domain literal: `[192.0.2.1]`. */
const LITERAL = /\[[!-$&-Z^-~\u0080-\uffff]*\]/y

/**
 * Whether a text is a single mail address as Go's net/mail parses it: with or without a name, possibly in a group, with
 * comments. Source: RFC 5322, section 3.4.
 */
export function isMailAddress(text: string): boolean {
  const scan = new Scan(text)
  return addresses(scan, true) === 1 && scan.skipComments() && scan.isEmpty
}

/** Parses addresses and returns their number. Undefined if the text is invalid. */
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

/** Parses `Name: a@b, c@d;` after the colon. */
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

/** Parses `local@domain`. */
function specification(scan: Scan): boolean {
  scan.take(SPACE)
  const quoted = scan.peek() === '"'
  const local = scan.take(quoted ? QUOTED : ATOM)
  if (local === undefined || local === '""' || (!quoted && !isDotAtom(local)) || !scan.take(AT)) return false
  scan.take(SPACE)
  if (scan.peek() === '[') return isIP(scan.take(LITERAL)?.slice(1, -1) ?? '') > 0
  return isDotAtom(scan.take(ATOM) ?? '')
}

/** Whether dots only occur singly between atoms. */
const isDotAtom = (text: string): boolean => text !== '' && !text.startsWith('.') && !text.endsWith('.') && !text.includes('..')

/** Parses the words of a name. The first must be a word. */
function phrase(scan: Scan): boolean {
  for (let words = 0; ; words++) {
    if (words > 0 && !scan.skipComments()) return false
    scan.take(SPACE)
    if (scan.isEmpty || scan.take(scan.peek() === '"' ? QUOTED : ATOM) === undefined) return words > 0
  }
}
