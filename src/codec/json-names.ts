import { setMember } from '../meta/equal.ts'
import { stringEnd } from './json-chunks.ts'

/**
 * Protects member names in JSON.parse of V8 from 12.5 on (Node 23 and later). It predicts the next name from the shapes
 * of earlier objects, and compares the prediction with as many characters of the source as the name has, without
 * looking at escapes: after `{"\\":1}`, `{"\"":2}` is returned with the name `\`. Any object can teach it a shape, so
 * each text is protected, whatever was parsed before it. A wrong name has a backslash, because the source has one where
 * the first escape begins.
 */

type Container = Record<string, unknown> | unknown[]

/** Escapes in the names of a text: none, only of other characters, or perhaps of a backslash. */
type EscapesInNames = 'none' | 'other' | 'backslash'

const MAY_HAVE_BACKSLASH = /\\\\|\\u005[cC]/

/** Whether the engine predicts names by their source text. V8 12.4 (Node 22) does not. */
export function predictsNames(v8 = process.versions.v8): boolean {
  const [major = 0, minor = 0] = v8.split('.').map(Number)
  return major > 12 || (major === 12 && minor > 4)
}

const PROTECTED = Symbol.for('binnacle.protectedParse')

/** Replaces JSON.parse if the engine needs it, and if no other copy of this module has. */
export function protectJsonNames(): void {
  if (predictsNames() && !(PROTECTED in JSON.parse)) JSON.parse = Object.assign(protectedParse(JSON.parse), { [PROTECTED]: true })
}

/**
 * Returns a JSON.parse whose names are those of the text. Calls with a reviver are passed on without protection. Texts
 * with an escape in a name take half as long again, and those with a backslash in a name several times as long.
 */
export function protectedParse(parse: typeof JSON.parse): typeof JSON.parse {
  return (given, reviver) => {
    const text = `${given}`
    if (typeof reviver === 'function' || !text.includes('\\')) return parse(text, reviver)
    const escapes = escapesInNames(text)
    if (escapes !== 'backslash') {
      const value: unknown = parse(text)
      if (escapes === 'none' || !hasBackslashInName(value)) return value
    }
    return decoded(parse(codedNames(text, parse)))
  }
}

/** Returns which escapes the names of a text have. Visits only strings with a backslash. */
function escapesInNames(text: string): EscapesInNames {
  let escapes: EscapesInNames = 'none'
  for (let start = text.indexOf('\\'), end = 0; start >= 0; start = text.indexOf('\\', end)) {
    end = stringEnd(text, start) + 1
    if (end === 0) break
    if (!isName(text, end)) continue
    if (MAY_HAVE_BACKSLASH.test(text.slice(start, end))) return 'backslash'
    escapes = 'other'
  }
  return escapes
}

/** Visits with a list of open values instead of by recursion, so that a deep value does not overflow the stack. */
function hasBackslashInName(value: unknown): boolean {
  const rest: unknown[] = [value]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (typeof next !== 'object' || next === null) continue
    if (Array.isArray(next)) {
      for (const item of next) if (typeof item === 'object') rest.push(item)
    } else {
      const object = next as Record<string, unknown>
      for (const name in object) {
        if (name.includes('\\')) return true
        if (typeof object[name] === 'object') rest.push(object[name])
      }
    }
  }
  return false
}

/**
 * A private-use character. In a coded name it stands before the four hexadecimal digits of a character that JSON
 * escapes, or of itself.
 */
const MARK = '\ue000'
/** Matches characters in the source of a name that its code does not have. */
const NOT_CODED = /[\\\ue000]/
/** Matches the characters of a name that have a code: quotes, backslashes, control characters and MARK. */
const HAS_CODE = /["\\\ue000]|[^ -\uffff]/g
const CODE = /\ue000([0-9a-f]{4})/g

/**
 * Codes the names of a text so that their source has no escapes, as far as its strings end. An invalid name is left for
 * the engine to report.
 */
function codedNames(text: string, parse: typeof JSON.parse): string {
  const pieces: string[] = []
  let copied = 0
  for (let start = text.indexOf('"'), end = 0; start >= 0; start = text.indexOf('"', end)) {
    end = stringEnd(text, start) + 1
    if (end === 0) break
    const source = text.slice(start, end)
    if (!NOT_CODED.test(source) || !isName(text, end)) continue
    pieces.push(text.slice(copied, start), codedName(source, parse))
    copied = end
  }
  return pieces.join('') + text.slice(copied)
}

function codedName(source: string, parse: typeof JSON.parse): string {
  try {
    return `"${String(parse(source)).replace(HAS_CODE, c => `${MARK}${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
  } catch {
    return source
  }
}

/** Whether the string that ends before an offset is the name of a member. */
function isName(text: string, end: number): boolean {
  let next = end
  while (next < text.length && ' \t\r\n'.includes(text.charAt(next))) next++
  return text.charAt(next) === ':'
}

/** Decodes all names of a value. */
function decoded(value: unknown): unknown {
  const root: unknown[] = [value]
  const containers: Container[] = [root]
  for (let container = containers.pop(); container !== undefined; container = containers.pop())
    for (const [name, member] of Object.entries(container)) {
      if (typeof member !== 'object' || member === null) continue
      const whole = Array.isArray(member) ? member : withDecodedNames(member as Record<string, unknown>)
      if (whole !== member) setMember(container, name, whole)
      containers.push(whole)
    }
  return root[0]
}

/** Returns the object itself if no name is coded. */
function withDecodedNames(object: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(object).some(name => name.includes(MARK))) return object
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object))
    setMember(
      result,
      name.replace(CODE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
      value,
    )
  return result
}
