/** Thrown and caught within this file. */
class SyntaxFault {
  readonly text: string

  constructor(what: string, expression: string) {
    this.text = `${what}: \`${expression}\``
  }
}

const MAX_REPEAT = 1000
const MAX_DEPTH = 1000
/**
 * Approximate compile time of an expression, in the time of one instruction. Go's own limit of some million
 * instructions would take seconds.
 */
const MAX_SIZE = 10_000
/** Reading time of parts besides their instructions, in the same unit. Repetitions copy what was read. */
const ReadingTime = {
  repetition: 2,
  /** Time for a character, a range or `\d` in a class. */
  member: 0.25,
  /** Times for `\pL` by itself, in a class, and if the expression ignores case. */
  property: 20,
  propertyInClass: 75,
  foldedProperty: 100,
  /** Time for a character in a range if the expression ignores case, because its other cases are looked up. */
  foldedRune: 1 / 32,
} as const

/**
 * Checks the syntax of a regular expression like Go's regexp package (RE2) and returns its error, such as
 * `missing closing ): \`a(\``; undefined if it is valid. Look-around and backreferences are not part of that syntax.
 * Reads the expression in one pass without matching anything. Source: https://github.com/google/re2/wiki/Syntax
 */
export function regexpFault(expression: string): string | undefined {
  try {
    new Reader(expression).read()
    return undefined
  } catch (fault) {
    if (fault instanceof SyntaxFault) return fault.text
    throw fault
  }
}

const REPETITION = /\{(\d+)(?:(,)(\d*))?\}/y
const POSIX_CLASSES = new Set([
  'alnum',
  'alpha',
  'ascii',
  'blank',
  'cntrl',
  'digit',
  'graph',
  'lower',
  'print',
  'punct',
  'space',
  'upper',
  'word',
  'xdigit',
])

/** An open group. */
interface OpenGroup {
  readonly above: OpenGroup | undefined
  /** Whether the previous element can be repeated. */
  isRepeatable: boolean
  /** Approximate number of instructions of the group. */
  size: number
}

class Reader {
  readonly #text: string
  #at = 0
  /** Innermost open group. The outermost is the whole expression. */
  #group: OpenGroup = { above: undefined, isRepeatable: false, size: 0 }
  /** Number of open groups, including the whole expression. */
  #depth = 1
  /** Number of instructions of the previous element. */
  #last = 0
  #readingTime = 0
  /** Whether any part may ignore case. */
  #folds = false
  /** Start of the last repetition, if it is the previous element; otherwise -1. */
  #lastRepetition = -1
  #lastNameEnd: number | undefined

  constructor(text: string) {
    this.#text = text
  }

  read(): void {
    while (this.#at < this.#text.length) {
      const from = this.#at
      const isRepetition = this.#one(this.#text.charAt(from))
      if (this.#group.size + this.#readingTime > MAX_SIZE) throw new SyntaxFault('expression too large', this.#text)
      this.#lastRepetition = isRepetition ? from : -1
    }
    if (this.#depth > 1) throw new SyntaxFault('missing closing )', this.#text)
  }

  /** Reads one element. Returns whether it is a repetition. */
  #one(char: string): boolean {
    switch (char) {
      case '(':
        this.#open()
        return false
      case ')':
        this.#close()
        return false
      case '|':
        this.#at++
        this.#setRepeatable(false)
        this.#grow(1)
        return false
      case '[':
        this.#characterClass()
        this.#setRepeatable(true)
        this.#grow(1)
        return false
      case '*':
      case '+':
      case '?':
        this.#repetition(1)
        this.#readingTime += ReadingTime.repetition
        return true
      case '{':
        return this.#counted()
      case '\\':
        this.#grow(this.#escape())
        return false
      default:
        this.#atom(1)
        return false
    }
  }

  #atom(length: number, size = 1): void {
    this.#at += length
    this.#setRepeatable(true)
    this.#grow(size)
  }

  #grow(size: number): void {
    this.#group.size += size
    this.#last = size
  }

  #setRepeatable(repeatable: boolean): void {
    this.#group.isRepeatable = repeatable
  }

  #slice(from: number): string {
    return this.#text.slice(from, this.#at)
  }

  #repetition(length: number): void {
    const from = this.#at
    this.#at += length
    if (this.#text.charAt(this.#at) === '?') this.#at++
    if (this.#lastRepetition >= 0) throw new SyntaxFault('invalid nested repetition operator', this.#slice(this.#lastRepetition))
    if (!this.#group.isRepeatable) throw new SyntaxFault('missing argument to repetition operator', this.#slice(from))
  }

  #counted(): boolean {
    REPETITION.lastIndex = this.#at
    const found = REPETITION.exec(this.#text)
    if (!found) {
      this.#atom(1)
      return false
    }
    const min = Number(found[1])
    const max = found[2] === undefined ? min : found[3] === '' ? -1 : Number(found[3])
    if (min > MAX_REPEAT || max > MAX_REPEAT || (max >= 0 && min > max)) throw new SyntaxFault('invalid repeat count', found[0])
    const last = this.#last
    this.#repetition(found[0].length)
    const times = Math.max(min, max, 1)
    this.#grow(last * (times - 1))
    this.#last = last * times
    return true
  }

  #open(): void {
    if (!this.#text.startsWith('(?', this.#at)) {
      this.#at++
      this.#push()
      return
    }
    const from = this.#at
    const name = this.#text.startsWith('(?P<', from) ? from + 4 : this.#text.startsWith('(?<', from) ? from + 3 : -1
    if (name >= 0) {
      const end = this.#text.indexOf('>', name)
      if (end < 0) throw new SyntaxFault('invalid named capture', this.#text.slice(from))
      if (!/^\w+$/.test(this.#text.slice(name, end))) throw new SyntaxFault('invalid named capture', this.#text.slice(from, end + 1))
      this.#at = end + 1
      this.#push()
    } else this.#flags(from)
  }

  #push(): void {
    if (this.#depth > MAX_DEPTH) throw new SyntaxFault('expression nests too deeply', this.#text)
    this.#group = { above: this.#group, isRepeatable: false, size: 1 }
    this.#depth++
  }

  /** Closes the innermost group, which becomes an element of its parent. */
  #close(): void {
    const { above, size } = this.#group
    if (above === undefined) throw new SyntaxFault('unexpected )', this.#text)
    this.#group = above
    this.#depth--
    this.#atom(1, size)
  }

  /** Reads `(?i)`, `(?i-s:` or `(?:`. */
  #flags(from: number): void {
    this.#at += 2
    let negative = false
    let seen = false
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at++)
      if ('imsU'.includes(char)) {
        seen = true
        this.#folds ||= char === 'i'
      } else if (char === '-' && !negative) {
        negative = true
        seen = false
      } else if ((char === ':' || char === ')') && (!negative || seen)) {
        if (char === ':') this.#push()
        else this.#grow(1)
        return
      } else throw new SyntaxFault('invalid or unsupported Perl syntax', this.#slice(from))
    }
    throw new SyntaxFault('missing closing )', this.#text.slice(from))
  }

  /** Reads an escape. Returns its number of instructions. */
  #escape(): number {
    const from = this.#at
    const next = this.#text.charAt(from + 1)
    this.#setRepeatable(true)
    if (next !== '' && 'AbBz'.includes(next)) this.#at += 2
    else if (next === 'Q') {
      const end = this.#text.indexOf('\\E', from + 2)
      this.#at = end < 0 ? this.#text.length : end + 2
      return this.#at - from
    } else if (!this.#escapedClass()) this.#escapedCharacter()
    if (/[pP]/.test(next)) this.#readingTime += this.#folds ? ReadingTime.foldedProperty : ReadingTime.property
    return 1
  }

  /** Reads `\d` and similar classes, `\pL`, or `\p{Greek}`. Returns false for any other escape. */
  #escapedClass(): boolean {
    const from = this.#at
    const rest = this.#text.slice(from, from + 2)
    if (/^\\[dDsSwW]$/.test(rest)) {
      this.#at += 2
      return true
    }
    if (rest !== '\\p' && rest !== '\\P') return false
    let name: string
    if (this.#text.charAt(from + 2) === '{') {
      const end = this.#text.indexOf('}', from)
      if (end < 0) throw new SyntaxFault('invalid character class range', this.#text.slice(from))
      name = this.#text.slice(from + 3, end)
      this.#at = end + 1
    } else {
      name = this.#text.charAt(from + 2)
      this.#at = from + 3
    }
    if (!isUnicodeClass(name.replace(/^\^/, ''))) throw new SyntaxFault('invalid character class range', this.#slice(from))
    return true
  }

  /** Reads an escaped character. Returns its code point. */
  #escapedCharacter(): number {
    const from = this.#at
    const fail = (): never => {
      throw new SyntaxFault('invalid escape sequence', this.#slice(from))
    }
    if (from + 1 >= this.#text.length) throw new SyntaxFault('trailing backslash at end of expression', '')
    const char = this.#text.charAt(from + 1)
    this.#at += 2
    if (/[0-7]/.test(char)) {
      if (char !== '0' && !/[0-7]/.test(this.#text.charAt(this.#at))) fail()
      const digits = /^[0-7]{1,3}/.exec(this.#text.slice(from + 1))?.[0] ?? ''
      this.#at = from + 1 + digits.length
      return Number.parseInt(digits, 8)
    }
    if (char === 'x') {
      const rest = this.#text.slice(this.#at)
      const found = /^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(rest)
      const code = found ? Number.parseInt(found[1] ?? found[2] ?? '', 16) : Number.NaN
      this.#at += found ? found[0].length : Math.min(rest.length, /^[{0-9a-fA-F]/.test(rest) ? 2 : 1)
      return code <= 0x10ffff ? code : fail()
    }
    const control = 'a\u0007f\fn\nr\rt\tv\v'.indexOf(char)
    if (control >= 0 && control % 2 === 0) return 'a\u0007f\fn\nr\rt\tv\v'.charCodeAt(control + 1)
    if (/[0-9A-Za-z]/.test(char) || char > '\u007f') fail()
    return char.charCodeAt(0)
  }

  #characterClass(): void {
    const from = this.#at
    this.#at++
    if (this.#text.charAt(this.#at) === '^') this.#at++
    for (let first = true; first || this.#text.charAt(this.#at) !== ']'; first = false) {
      const range = this.#at
      this.#readingTime += ReadingTime.member
      if (this.#namedClass()) continue
      if (this.#text.charAt(range) === '\\' && this.#escapedClass()) {
        if (/[pP]/.test(this.#text.charAt(range + 1)))
          this.#readingTime += this.#folds ? ReadingTime.foldedProperty : ReadingTime.propertyInClass
        continue
      }
      const low = this.#classCharacter(from)
      if (this.#text.charAt(this.#at) !== '-' || this.#at + 1 >= this.#text.length || this.#text.charAt(this.#at + 1) === ']') continue
      this.#at++
      const high = this.#classCharacter(from)
      if (high < low) throw new SyntaxFault('invalid character class range', this.#slice(range))
      if (this.#folds) this.#readingTime += (high - low) * ReadingTime.foldedRune
    }
    this.#at++
  }

  #namedClass(): boolean {
    if (!this.#text.startsWith('[:', this.#at)) return false
    // The result is cached, so that a failing search runs only once.
    this.#lastNameEnd ??= this.#text.lastIndexOf(':]')
    if (this.#lastNameEnd < this.#at + 2) return false
    const end = this.#text.indexOf(':]', this.#at + 2)
    const name = this.#text.slice(this.#at + 2, end)
    if (!POSIX_CLASSES.has(name.replace(/^\^/, '')))
      throw new SyntaxFault('invalid character class range', this.#text.slice(this.#at, end + 2))
    this.#at = end + 2
    return true
  }

  #classCharacter(classFrom: number): number {
    if (this.#at >= this.#text.length) throw new SyntaxFault('missing closing ]', this.#text.slice(classFrom))
    if (this.#text.charAt(this.#at) === '\\') return this.#escapedCharacter()
    const code = this.#text.codePointAt(this.#at) ?? 0
    this.#at += code > 0xffff ? 2 : 1
    return code
  }
}

const CATEGORY = /^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/

/** Whether Unicode has a general category or script of this name. */
function isUnicodeClass(name: string): boolean {
  if (name === 'Any' || CATEGORY.test(name)) return true
  if (!/^[A-Z]\w+$/.test(name)) return false
  try {
    new RegExp(`\\p{Script=${name}}`, 'u')
    return true
  } catch {
    return false
  }
}
