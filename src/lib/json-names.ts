/**
 * Protects member names in JSON.parse of V8 13 and later (Node 24 and 26). That version predicts the next name from objects that it has parsed before, and compares the prediction with the
 * source text without looking at escapes: after `{"\\":1}`, `{"\"":2}` is returned with the name `\`. So a text with a backslash in a name can rename a member of a later text.
 */

type Container = Record<string, unknown> | unknown[]

/** Matches an escape. The group is an escaped backslash. */
const ESCAPE = /\\(?:(\\|u005[cC])|u|[^u])/g
const MAY_HAVE_BACKSLASH = /\\\\|\\u005[cC]/

const FIRST_STAND_IN = 0xe000
const STAND_INS = 6400

/** Whether the engine predicts names by their source text. */
export const predictsNames = (v8 = process.versions.v8): boolean => Number(v8.split('.', 1)[0]) >= 13

const PROTECTED = Symbol.for('binnacle.protectedParse')

/** Replaces JSON.parse if the engine needs it, and if no other copy of this module has. */
export function protectJsonNames(): void {
  if (predictsNames() && !(PROTECTED in JSON.parse)) JSON.parse = Object.assign(protectedParse(JSON.parse), { [PROTECTED]: true })
}

/** Returns a JSON.parse that shows the engine no name with a backslash, so that it cannot predict one. Names are restored after the parse. Texts with such names take several times as long. */
export function protectedParse(parse: typeof JSON.parse): typeof JSON.parse {
  return (text, reviver) => {
    if (reviver !== undefined || typeof text !== 'string' || !MAY_HAVE_BACKSLASH.test(text)) return parse(text, reviver)
    const standIn = unusedCharacter(text)
    const shown = standIn === undefined ? text : withStandIns(text, standIn)
    return shown === text || standIn === undefined ? parse(text) : restored(parse(shown), standIn)
  }
}

/** Returns a private-use character that the text has neither as such nor as an escape. Undefined if it has all. */
function unusedCharacter(text: string): string | undefined {
  const lower = text.toLowerCase()
  for (let code = FIRST_STAND_IN; code < FIRST_STAND_IN + STAND_INS; code++) {
    const character = String.fromCharCode(code)
    if (!text.includes(character) && !lower.includes(`\\u${code.toString(16)}`)) return character
  }
  return undefined
}

/** Replaces the escaped backslashes of names. */
function withStandIns(text: string, standIn: string): string {
  const pieces: string[] = []
  let copied = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start)
    let next = end
    while (next < text.length && ' \t\r\n'.includes(text.charAt(next))) next++
    const token = text.slice(start, end)
    if (text.charAt(next) === ':' && MAY_HAVE_BACKSLASH.test(token)) {
      pieces.push(
        text.slice(copied, start),
        token.replace(ESCAPE, (matched, backslash) => (backslash === undefined ? matched : standIn)),
      )
      copied = end
    }
    start = text.indexOf('"', end)
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied)
}

/** Returns the offset after a string. `start` is that of its opening quote. */
function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1
  return i + 1
}

/** Puts backslashes in the place of stand-ins in all names. */
function restored(value: unknown, standIn: string): unknown {
  const root: unknown[] = [value]
  const containers: Container[] = [root]
  for (let container = containers.pop(); container !== undefined; container = containers.pop())
    for (const [key, member] of Object.entries(container)) {
      if (typeof member !== 'object' || member === null) continue
      const whole = Array.isArray(member) ? member : renamed(member as Record<string, unknown>, standIn)
      if (whole !== member) setOwn(container, key, whole)
      containers.push(whole)
    }
  return root[0]
}

function renamed(object: Record<string, unknown>, standIn: string): Record<string, unknown> {
  if (!Object.keys(object).some(name => name.includes(standIn))) return object
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) setOwn(result, name.replaceAll(standIn, '\\'), value)
  return result
}

/** Sets a member also if it is called `__proto__`. */
const setOwn = (container: Container, name: string, value: unknown): void =>
  void Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
