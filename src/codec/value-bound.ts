import { isStepDone, runAtOnce, type Steps } from '../lib/steps.ts'
import { MOST_MEMBERS } from '../lib/wide-objects.ts'
import { tooLargeError } from '../meta/status.ts'

/**
 * Limit on the values of a body: members, elements, objects and lists, at every depth. A value costs a hundred times
 * its bytes in time and memory before the server knows whether the object can be stored, and three megabytes hold a
 * million of `{}`. Real objects of at most 1.5 megabytes, etcd's limit, hold some 20,000.
 */
export const MOST_VALUES = 65_536
/** Limit for YAML, whose parser takes several times as long for each value. */
const MOST_YAML_VALUES = 32_768
/**
 * Limit on the lines of YAML, including those of texts: three megabytes hold three million empty lines, which the
 * parser reads one by one.
 */
const MOST_YAML_LINES = 1 << 20

const NEWLINE = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** 413 with upstream's text for a body that is too large. */
export const tooManyValues = (most = MOST_VALUES) => tooLargeError(`limit is ${most} values`)

/** 413 for an object of more members than `MOST_MEMBERS`. */
export const tooManyMembers = () => tooLargeError(`limit is ${MOST_MEMBERS} members of an object`)

/** Bytes or characters that are counted in one step. */
const STEP = 64 * 1024

/**
 * Throws 413 if a JSON text holds too many values, or an object of too many members. A repeated member counts each
 * time. The text need not be well-formed.
 */
export const boundJsonValues = (bytes: Buffer): void => runAtOnce(boundJsonInSteps(bytes))

/** `boundJsonValues` in steps, for bodies that may be large. */
export function* boundJsonInSteps(bytes: Buffer): Steps<void> {
  if (bytes.length <= MOST_VALUES) return
  const counter = new JsonCounter(bytes)
  while (counter.readStep()) yield
}

/** Throws 413 if this many copies of a value would hold too many values. */
export function boundCopies(value: unknown, copies: number, most = MOST_VALUES): void {
  if (copies > 1 && countValues(value, most / copies) > most / copies) throw tooManyValues(most)
}

/**
 * Throws 413 if a change gives an object too many members. An object that had too many `before`, as older stores may
 * hold them, may keep as many.
 */
export function boundMembers(count: number, before = 0): void {
  if (count > MOST_MEMBERS && count > before) throw tooManyMembers()
}

/** Counts members and elements at every depth. Stops once there are more than `most`. */
export function countValues(root: unknown, most: number): number {
  let values = 0
  const stack = [root]
  while (stack.length > 0 && values <= most) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    for (const member of Object.values(node)) {
      values++
      stack.push(member)
    }
  }
  return values
}

/** Commas of a list are counted from here on. They never reach the limit of objects, as the values reach theirs first. */
const IN_LIST = -2 * MOST_VALUES

/** Counts commas and opening brackets outside strings, which is at least the number of values minus one. */
class JsonCounter {
  readonly #bytes: Buffer
  #at = 0
  #values = 0
  #isQuoted = false
  /** Commas of the innermost list or object, and of those around it. */
  #commas = IN_LIST
  readonly #outer: number[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Reads on. Returns false at the end of the text. Throws 413 once there are too many values or members. */
  readStep(): boolean {
    const bytes = this.#bytes
    const end = Math.min(this.#at + STEP, bytes.length)
    let i = this.#at
    while (i < end) {
      if (this.#isQuoted) {
        i = textEnd(bytes, i, end)
        if (i >= end) break
        // A quote ends the text; a backslash is followed by a character of it.
        if (bytes[i] === QUOTE) this.#isQuoted = false
        else i++
      } else this.#count(bytes[i])
      i++
    }
    if (this.#values > MOST_VALUES) throw tooManyValues()
    this.#at = i
    return i < bytes.length
  }

  #count(byte: number | undefined): void {
    if (byte === QUOTE) this.#isQuoted = true
    else if (byte === COMMA) {
      this.#values++
      if (++this.#commas === MOST_MEMBERS) throw tooManyMembers()
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.#values++
      this.#outer.push(this.#commas)
      this.#commas = byte === OPEN_BRACE ? 0 : IN_LIST
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#commas = this.#outer.pop() ?? IN_LIST
  }
}

/** Returns the offset of the next quote or backslash, or `end`. */
function textEnd(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at++
  return at
}

/** A line with more commas is counted as a list, others as text. */
const MOST_COMMAS_OF_TEXT = 500

/**
 * Throws 413 if a YAML text holds too many values or lines, in steps. A text that begins like JSON is counted as JSON;
 * otherwise each line that looks like a member or an element counts as a value.
 */
export function* boundYamlInSteps(bytes: Buffer): Steps<void> {
  if (bytes.length <= MOST_YAML_VALUES) return
  if (bytes.length > MOST_YAML_LINES) yield* boundLines(bytes)
  const first = /[^\s]/.exec(bytes.toString('latin1', 0, 64))?.[0]
  if (first === '{' || first === '[') yield* boundJsonInSteps(bytes)
  else yield* boundYamlLines(bytes.toString('latin1'))
}

function* boundLines(bytes: Buffer): Steps<void> {
  let lines = 1
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    if (++lines > MOST_YAML_LINES) throw tooLargeError(`limit is ${MOST_YAML_LINES} lines`)
    if (isStepDone()) yield
  }
}

/** Matches a line that begins with `- `, `? ` or a key and its colon. */
const MEMBER = /^(?:[ \t]*[-?](?:[ \t\r]|$)|[^#]*:(?:[ \t\r]|$))/

/** Counts at most one value per line, and the commas of long lines, where a flow collection may hide many. */
function* boundYamlLines(text: string): Steps<void> {
  let values = 0
  let next = STEP
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from)
    const end = found < 0 ? text.length : found
    const line = text.slice(from, end)
    if (MEMBER.test(line)) values++
    if (line.length > MOST_COMMAS_OF_TEXT) values += commasIn(line)
    if (values > MOST_YAML_VALUES) throw tooManyValues(MOST_YAML_VALUES)
    from = end + 1
    if (from < next) continue
    next = from + STEP
    yield
  }
}

/** Counts the commas of a long line; 0 if there are so few that it is text. */
function commasIn(line: string): number {
  let commas = 0
  for (let at = line.indexOf(','); at >= 0; at = line.indexOf(',', at + 1)) commas++
  return commas > MOST_COMMAS_OF_TEXT ? commas : 0
}
