import { YamlCursor } from './yaml-cursor.ts'
import { type ScalarScan, scanBlockScalar, scanPlain, scanQuoted } from './yaml-scan-scalars.ts'
import { scanAnchor, scanDirective, scanTag } from './yaml-scan-values.ts'
import type { Token, TokenType } from './yaml-token.ts'

/** A position where a key without an indicator may begin. */
interface SimpleKey {
  /** False once the key is too long, or its line has ended. */
  isPossible: boolean
  /** Whether a colon must follow, because the key begins at the indentation of a block mapping. */
  readonly isRequired: boolean
  /** Number of the token that begins the key. */
  readonly number: number
  readonly at: number
  readonly index: number
  readonly line: number
  /** Column, from 0. It becomes the indentation of the mapping. */
  readonly column: number
}

/** Beginning of a scalar. */
type ScalarStart = Pick<YamlCursor, 'at' | 'line'>

/** Beginning of a block collection. */
type BlockStart = Pick<YamlCursor, 'at' | 'line' | 'column'>

/** Limit of flow levels and of indentations, as in goyaml.v2. */
const MAX_DEPTH = 10_000
/** Characters of a key without an indicator, by the specification of YAML 1.1. */
const LONGEST_KEY = 1024
/** Consumed tokens that are kept. */
const MOST_TAKEN = 1024
/** Tokens that are scanned in one call: a key is final once its colon is. */
const TOKENS_PER_PART = 64
/** Blanks and empty lines that are skipped in one call. */
const BLANKS_PER_PART = 8192

/** The scanner of go-yaml 2, a port of libyaml. Source: scannerc.go in sigs.k8s.io/yaml/goyaml.v2. */
export class YamlScanner extends YamlCursor {
  readonly #tokens: Token[] = []
  #head = 0
  /** Number of tokens consumed. */
  #taken = 0
  #isReady = false
  /** Continues a token that was not scanned to its end. Returns whether it has ended. */
  #unfinished: (() => boolean) | undefined
  /** Possible key of each flow level. */
  readonly #keys: SimpleKey[] = []
  readonly #keyOfToken = new Map<number, number>()
  #keyAllowed = true
  #flowLevel = 0
  #indent = -1
  readonly #indents: number[] = []

  constructor(text: string) {
    super(text)
    this.#keys.push(this.#keyHere(false, false))
  }

  /** Returns the next token without consuming it. Throws YamlProblem. */
  peek(): Token {
    while (!this.#isReady) this.#isReady = this.#isFinal()
    const token = this.#tokens[this.#head]
    return token ?? this.fail('did not find expected <stream-end>')
  }

  /** Consumes the next token. */
  skipToken(): void {
    this.#isReady = false
    this.#taken++
    this.#head++
    if (this.#head === MOST_TAKEN) {
      this.#tokens.splice(0, this.#head)
      this.#head = 0
    }
  }

  /** Scans a part of the next token, which may be long. Returns whether `peek` has it now. Throws YamlProblem. */
  prepare(): boolean {
    for (let left = TOKENS_PER_PART; left > 0 && !this.#isReady; left--) {
      this.#isReady = this.#isFinal()
      if (this.#unfinished !== undefined) break
    }
    return this.#isReady
  }

  /**
   * Whether the next token will not change: while it could be a key, a later `:` inserts tokens before it. Scans
   * another part of the text if it may change.
   */
  #isFinal(): boolean {
    if (this.#unfinished !== undefined) {
      if (this.#unfinished()) this.#unfinished = undefined
      return false
    }
    if (this.#head < this.#tokens.length) {
      const key = this.#keyOfToken.get(this.#taken)
      const known = key === undefined ? undefined : this.#keys[key]
      if (known === undefined || !this.#isValidKey(known)) return true
    }
    this.#fetchNext()
    return false
  }

  /** Adds a token that ends at the cursor. */
  #push(type: TokenType, start: number, value = '', line = this.line, suffix = ''): void {
    this.#tokens.push({ type, line, start, end: this.at, value, suffix, isPlain: false })
  }

  /** Adds a token of one character, and skips it. */
  #pushIndicator(type: TokenType): void {
    const start = this.at
    this.skip()
    this.#push(type, start)
  }

  #pushScalar(value: string, { at: start, line }: ScalarStart, isPlain: boolean): void {
    this.#tokens.push({ type: 'scalar', line, start, end: Math.max(this.textEnd, start + 1), value, suffix: '', isPlain })
  }

  /** Reads one token, after the tokens of blocks that end before it. */
  #fetchNext(): void {
    if (!this.#skipToToken()) {
      this.#unfinished = () => true
      return
    }
    this.#unrollIndent(this.column)
    const mark = this.documentMark()
    if (this.isEnd()) this.#fetchStreamEnd()
    else if (this.column === 0 && this.char === '%') this.#fetchDirective()
    else if (mark !== undefined) this.#fetchDocumentMark(mark)
    else if (!this.#fetchIndicator()) {
      if (!this.#beginsPlain()) this.fail('found character that cannot start any token')
      this.#fetchPlain()
    }
  }

  /** Fetches a token that begins with an indicator. Returns false at a plain scalar, or if no token can begin here. */
  #fetchIndicator(): boolean {
    const { char } = this
    const inFlow = this.#flowLevel > 0
    const blankFollows = this.isBlankOrEnd(1)
    if (char === '[' || char === '{') this.#fetchFlowStart(char)
    else if (char === ']' || char === '}') this.#fetchFlowEnd(char)
    else if (char === ',') this.#fetchFlowEntry()
    else if (char === '-' && blankFollows) this.#fetchBlockEntry()
    else if (char === '?' && (inFlow || blankFollows)) this.#fetchKey()
    else if (char === ':' && (inFlow || blankFollows)) this.#fetchValue()
    else if (char === '*' || char === '&') this.#fetchAnchor(char === '*' ? 'alias' : 'anchor')
    else if (char === '!') this.#fetchTag()
    else if ((char === '|' || char === '>') && !inFlow) this.#fetchBlockScalar()
    else if (char === "'" || char === '"') this.#fetchQuoted(char)
    else return false
    return true
  }

  /** Whether a plain scalar can begin with this character. */
  #beginsPlain(): boolean {
    const { char } = this
    if (char === '-') return !this.isBlank(1)
    if (this.#flowLevel === 0 && (char === '?' || char === ':')) return !this.isBlankOrEnd(1)
    return !this.isBlankOrEnd() && !'-?:,[]{}#&*!|>\'"%@`'.includes(char)
  }

  /** Skips to the next token. Returns false if it is further away. */
  #skipToToken(): boolean {
    for (let left = BLANKS_PER_PART; left > 0; left--) {
      if (this.at === 0 && this.char === '\ufeff') this.skip()
      for (; left > 0 && (this.char === ' ' || ((this.#flowLevel > 0 || !this.#keyAllowed) && this.char === '\t')); left--) this.skip()
      if (left === 0) return false
      this.skipComment()
      if (!this.isBreak()) return true
      this.skipLine()
      if (this.#flowLevel === 0) this.#keyAllowed = true
    }
    return false
  }

  /** Scans a scalar, whose first part is scanned at once. `done` is called with it once it ends. */
  #scan<T>(scan: ScalarScan<T>, done: (scanned: T) => void): void {
    const goOn = (): boolean => {
      const scanned = scan()
      if (scanned !== undefined) done(scanned)
      return scanned !== undefined
    }
    if (!goOn()) this.#unfinished = goOn
  }

  /** Returns a key at the cursor. Its number is that of the next token. */
  #keyHere(isPossible: boolean, isRequired: boolean): SimpleKey {
    const { at, index, line, column } = this
    return { isPossible, isRequired, number: this.#taken + this.#tokens.length - this.#head, at, index, line, column }
  }

  #scalarStart(): ScalarStart {
    const { at, line } = this
    return { at, line }
  }

  get #lastKey(): SimpleKey {
    return this.#keys.at(-1) ?? this.#keyHere(false, false)
  }

  /** Whether a colon here would make the token a key. Throws YamlProblem if a required key has none. */
  #isValidKey(key: SimpleKey): boolean {
    if (!key.isPossible) return false
    if (key.line >= this.line && key.index + LONGEST_KEY >= this.index) return true
    if (key.isRequired) this.fail("could not find expected ':'", key.at)
    key.isPossible = false
    return false
  }

  /** Notes that a key may begin here. It replaces an earlier one of the level. */
  #saveKey(): void {
    if (!this.#keyAllowed) return
    const key = this.#keyHere(true, this.#flowLevel === 0 && this.#indent === this.column)
    this.#removeKey()
    this.#keys[this.#keys.length - 1] = key
    this.#keyOfToken.set(key.number, this.#keys.length - 1)
  }

  /** Gives up the key of the level. Throws YamlProblem if it was required. */
  #removeKey(): void {
    const key = this.#lastKey
    if (!key.isPossible) return
    if (key.isRequired) this.fail("could not find expected ':'", key.at)
    key.isPossible = false
    this.#keyOfToken.delete(key.number)
  }

  /** Opens a block collection if the column is further to the right. `key`: key whose token it precedes. */
  #rollIndent(type: 'block sequence' | 'block mapping', { column, line, at }: BlockStart, key?: SimpleKey): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return
    this.#indents.push(this.#indent)
    this.#indent = column
    if (this.#indents.length > MAX_DEPTH) this.fail(`exceeded max depth of ${MAX_DEPTH}`)
    const token: Token = { type, line, start: at, end: at, value: '', suffix: '', isPlain: false }
    if (key === undefined) this.#tokens.push(token)
    else this.#tokens.splice(this.#head + key.number - this.#taken, 0, token)
  }

  /** Ends blocks that are indented further than the column. */
  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return
    while (this.#indent > column) {
      this.#push('block end', this.at)
      this.#indent = this.#indents.pop() ?? -1
    }
  }

  #fetchStreamEnd(): void {
    if (this.column !== 0) {
      this.column = 0
      this.line++
    }
    this.#endBlocks()
    this.#push('stream end', this.at)
  }

  #endBlocks(): void {
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
  }

  #fetchDocumentMark(type: 'document start' | 'document end'): void {
    this.#endBlocks()
    const start = this.at
    for (let i = 0; i < 3; i++) this.skip()
    this.#push(type, start)
  }

  #fetchFlowStart(type: '[' | '{'): void {
    this.#saveKey()
    this.#keys.push(this.#keyHere(false, false))
    if (++this.#flowLevel > MAX_DEPTH) this.fail(`exceeded max depth of ${MAX_DEPTH}`)
    this.#keyAllowed = true
    this.#pushIndicator(type)
  }

  /** A bracket that closes nothing is a token all the same: the grammar refuses it. */
  #fetchFlowEnd(type: ']' | '}'): void {
    this.#removeKey()
    if (this.#flowLevel > 0) {
      this.#flowLevel--
      this.#keyOfToken.delete(this.#lastKey.number)
      this.#keys.pop()
    }
    this.#keyAllowed = false
    this.#pushIndicator(type)
  }

  #fetchFlowEntry(): void {
    this.#removeKey()
    this.#keyAllowed = true
    this.#pushIndicator(',')
  }

  /** Takes a dash. In block context it opens a sequence if it is indented further. */
  #fetchBlockEntry(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.fail('block sequence entries are not allowed in this context')
      this.#rollIndent('block sequence', this)
    }
    this.#removeKey()
    this.#keyAllowed = true
    this.#pushIndicator('-')
  }

  /** Takes a question mark. In block context it opens a mapping if it is indented further. */
  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.fail('mapping keys are not allowed in this context')
      this.#rollIndent('block mapping', this)
    }
    this.#removeKey()
    this.#keyAllowed = this.#flowLevel === 0
    this.#pushIndicator('?')
  }

  /**
   * At a simple key, inserts the key's token before tokens that have been read already, since only the colon shows that
   * it is one.
   */
  #fetchValue(): void {
    const key = this.#lastKey
    if (this.#isValidKey(key)) {
      const { at, line } = key
      const token: Token = { type: '?', line, start: at, end: at, value: '', suffix: '', isPlain: false }
      this.#tokens.splice(this.#head + key.number - this.#taken, 0, token)
      this.#rollIndent('block mapping', key, key)
      key.isPossible = false
      this.#keyOfToken.delete(key.number)
      this.#keyAllowed = false
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) this.fail('mapping values are not allowed in this context')
        this.#rollIndent('block mapping', this)
      }
      this.#keyAllowed = this.#flowLevel === 0
    }
    this.#pushIndicator(':')
  }

  #fetchDirective(): void {
    this.#endBlocks()
    const { line, at } = this
    const { type, value, suffix } = scanDirective(this)
    this.#push(type, at, value, line, suffix)
  }

  #fetchAnchor(type: 'alias' | 'anchor'): void {
    this.#saveKey()
    this.#keyAllowed = false
    const { line, at } = this
    const name = scanAnchor(this)
    this.#push(type, at, name, line)
  }

  #fetchTag(): void {
    this.#saveKey()
    this.#keyAllowed = false
    const { line, at } = this
    const { value, suffix } = scanTag(this)
    this.#push('tag', at, value, line, suffix)
  }

  /** Takes a literal or folded scalar, which is never a key. */
  #fetchBlockScalar(): void {
    this.#removeKey()
    this.#keyAllowed = true
    const start = this.#scalarStart()
    this.#scan(scanBlockScalar(this, this.#indent), text => this.#pushScalar(text, start, false))
  }

  #fetchQuoted(quote: "'" | '"'): void {
    this.#saveKey()
    this.#keyAllowed = false
    const start = this.#scalarStart()
    this.#scan(scanQuoted(this, quote), text => this.#pushScalar(text, start, false))
  }

  /** Takes a plain scalar. After one that ends its line a key may begin. */
  #fetchPlain(): void {
    this.#saveKey()
    this.#keyAllowed = false
    const start = this.#scalarStart()
    this.#scan(scanPlain(this, this.#indent + 1, this.#flowLevel > 0), ({ text, endsLine }) => {
      if (endsLine) this.#keyAllowed = true
      this.#pushScalar(text, start, true)
    })
  }
}
