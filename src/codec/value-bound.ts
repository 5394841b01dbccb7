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
const OPEN_BRACE = 0x7b

/** 413 with upstream's text for a body that is too large. */
export const tooManyValues = (most = MOST_VALUES) => tooLargeError(`limit is ${most} values`)

/** Throws 413 if a JSON text holds too many values. The text need not be well-formed. */
export function boundJsonValues(bytes: Buffer): void {
  if (bytes.length > MOST_VALUES && countJsonValues(bytes) > MOST_VALUES) throw tooManyValues()
}

/** Throws 413 if this many copies of a value would hold too many values. */
export function boundCopies(value: unknown, copies: number, most = MOST_VALUES): void {
  if (copies > 1 && countValues(value, most / copies) > most / copies) throw tooManyValues(most)
}

/** Throws 413 if a merge gives an object more members than the body of a client could hold. */
export function boundMembers(count: number): void {
  if (count > MOST_VALUES) throw tooManyValues()
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

/** Counts commas and opening brackets outside strings, which is at least the number of values minus one. */
function countJsonValues(bytes: Buffer): number {
  let values = 0
  let quoted = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (quoted) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (byte === COMMA || byte === OPEN_BRACE || byte === OPEN_BRACKET) values++
  }
  return values
}

/** A line with more commas is counted as a list, others as text. */
const MOST_COMMAS_OF_TEXT = 500

/**
 * Throws 413 if a YAML text holds too many values or lines. A text that begins like JSON is counted as JSON; otherwise
 * each line that looks like a member or an element counts as a value.
 */
export function boundYamlValues(bytes: Buffer): void {
  if (bytes.length <= MOST_YAML_VALUES) return
  if (bytes.length > MOST_YAML_LINES && countLines(bytes) > MOST_YAML_LINES) throw tooLargeError(`limit is ${MOST_YAML_LINES} lines`)
  const first = /[^\s]/.exec(bytes.toString('latin1', 0, 64))?.[0]
  if (first === '{' || first === '[') boundJsonValues(bytes)
  else if (countYamlLines(bytes.toString('latin1')) > MOST_YAML_VALUES) throw tooManyValues(MOST_YAML_VALUES)
}

/** Counts lines, and stops above the limit. */
function countLines(bytes: Buffer): number {
  let lines = 1
  for (let at = bytes.indexOf(NEWLINE); at >= 0 && lines <= MOST_YAML_LINES; at = bytes.indexOf(NEWLINE, at + 1)) lines++
  return lines
}

/** Matches a line that begins with `- `, `? ` or a key and its colon. */
const MEMBER = /^(?:[ \t]*[-?](?:[ \t\r]|$)|[^#]*:(?:[ \t\r]|$))/

/** Counts at most one value per line, and the commas of long lines, where a flow collection may hide many. */
function countYamlLines(text: string): number {
  let values = 0
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from)
    const end = found < 0 ? text.length : found
    const line = text.slice(from, end)
    if (MEMBER.test(line)) values++
    if (line.length > MOST_COMMAS_OF_TEXT) values += commasIn(line)
    from = end + 1
  }
  return values
}

/** Counts the commas of a long line; 0 if there are so few that it is text. */
function commasIn(line: string): number {
  let commas = 0
  for (let at = line.indexOf(','); at >= 0; at = line.indexOf(',', at + 1)) commas++
  return commas > MOST_COMMAS_OF_TEXT ? commas : 0
}
