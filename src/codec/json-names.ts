import { setMember } from '../meta/equal.ts'
import { stringEnd } from './json-chunks.ts'

/**
 * Protects member names in JSON.parse of V8 13 and later (Node 24 and 26). That version predicts the next name from objects that it has parsed before, and compares the prediction with the
 * source text without looking at escapes: after `{"\\":1}`, `{"\"":2}` is returned with the name `\`. So a text with a backslash in a name can rename a member of a later text.
 */

type Container = Record<string, unknown> | unknown[]

/** A private-use character that begins the code of a backslash or of itself in a name: backslashes are written as MARK and `b`, MARK as MARK and `m`. */
const MARK = '\ue000'

const MAY_HAVE_BACKSLASH = /\\\\|\\u005[cC]/
/** Matches what a coded name may not have. */
const CODED = /\\\\|\\u005[cC]|\ue000|\\u[eE]000/
/** Matches an escape or MARK. The groups are a backslash, and MARK. */
const ESCAPE = /\\(?:(\\|u005[cC])|(u[eE]000)|u|[^u])|(\ue000)/g

/** Whether the engine predicts names by their source text. */
export const predictsNames = (v8 = process.versions.v8): boolean => Number(v8.split('.', 1)[0]) >= 13

const PROTECTED = Symbol.for('binnacle.protectedParse')

/** Replaces JSON.parse if the engine needs it, and if no other copy of this module has. */
export function protectJsonNames(): void {
  if (predictsNames() && !(PROTECTED in JSON.parse)) JSON.parse = Object.assign(protectedParse(JSON.parse), { [PROTECTED]: true })
}

/** Returns a JSON.parse that shows the engine no name with a backslash, so that it cannot predict one. Names are decoded after the parse. Texts with such names take several times as long. */
export function protectedParse(parse: typeof JSON.parse): typeof JSON.parse {
  return (text, reviver) => {
    if (reviver !== undefined || typeof text !== 'string' || !MAY_HAVE_BACKSLASH.test(text)) return parse(text, reviver)
    const { coded, hasBackslash } = codedNames(text)
    return hasBackslash ? decoded(parse(coded)) : parse(text)
  }
}

/** Codes the names of a text, as far as its strings end. */
function codedNames(text: string): { readonly coded: string; readonly hasBackslash: boolean } {
  const pieces: string[] = []
  let copied = 0
  let hasBackslash = false
  for (let start = text.indexOf('"'), end = 0; start >= 0; start = text.indexOf('"', end)) {
    end = stringEnd(text, start) + 1
    if (end === 0) break
    const token = text.slice(start, end)
    if (!CODED.test(token) || !isName(text, end)) continue
    hasBackslash ||= MAY_HAVE_BACKSLASH.test(token)
    pieces.push(text.slice(copied, start), token.replace(ESCAPE, codedEscape))
    copied = end
  }
  return { coded: pieces.join('') + text.slice(copied), hasBackslash }
}

const codedEscape = (matched: string, backslash?: string, escapedMark?: string, mark?: string): string =>
  backslash !== undefined ? `${MARK}b` : escapedMark !== undefined || mark !== undefined ? `${MARK}m` : matched

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

function withDecodedNames(object: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(object).some(name => name.includes(MARK))) return object
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object))
    setMember(
      result,
      name.replace(CODE, code => (code === `${MARK}b` ? '\\' : MARK)),
      value,
    )
  return result
}
const CODE = /\ue000[bm]/g
