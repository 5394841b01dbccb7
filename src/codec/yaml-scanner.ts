import { YamlCursor } from './yaml-cursor.ts'
import { scanAnchor, scanBlockScalar, scanDirective, scanPlain, scanQuoted, scanTag } from './yaml-scan-values.ts'

export type TokenType =
  | 'stream end'
  | 'version'
  | 'tag directive'
  | 'document start'
  | 'document end'
  | 'block sequence'
  | 'block mapping'
  | 'block end'
  | '['
  | ']'
  | '{'
  | '}'
  | ','
  | '-'
  | '?'
  | ':'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar'

/** A token. `line` is counted from zero. */
export interface Token {
  readonly type: TokenType
  readonly line: number
  /** Name of an alias or anchor, handle of a tag or tag directive, or number of a version. */
  readonly value: string
  /** Offset after a scalar, an alias, or the end of a flow collection. For other tokens, an offset within them. */
  readonly end: number
}

/** A position where a key without an indicator may begin. */
interface SimpleKey {
  isPossible: boolean
  readonly isRequired: boolean
  /** Number of the token that begins the key. */
  readonly number: number
  readonly at: number
  readonly line: number
  readonly column: number
}

const MAX_DEPTH = 10_000
const LONGEST_KEY = 1024

/** The scanner of go-yaml 2, a port of libyaml, reduced to finding faults. Does not keep values. Source: scannerc.go in sigs.k8s.io/yaml/goyaml.v2. */
export class YamlScanner extends YamlCursor {
  readonly #tokens: Token[] = []
  #head = 0
  /** Number of tokens consumed. */
  #taken = 0
  #isReady = false
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
    while (!this.#isReady) this.#fetchMore()
    const token = this.#tokens[this.#head]
    return token ?? this.fail('did not find expected <stream-end>')
  }

  /** Consumes the next token. */
  skipToken(): void {
    this.#isReady = false
    this.#taken++
    this.#head++
  }

  /** Fetches tokens until the next one is final: while it could be a key, a later `:` inserts tokens before it. */
  #fetchMore(): void {
    for (;;) {
      if (this.#head !== this.#tokens.length) {
        const key = this.#keyOfToken.get(this.#taken)
        const known = key === undefined ? undefined : this.#keys[key]
        if (known === undefined || !this.#isValidKey(known)) break
      }
      this.#fetchNext()
    }
    this.#isReady = true
  }

  /** Appends a token that ends at the cursor. */
  #push(type: TokenType, value = '', line = this.line): void {
    this.#tokens.push({ type, line, value, end: this.at })
  }

  #fetchNext(): void {
    this.#skipToToken()
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

  #beginsPlain(): boolean {
    const { char } = this
    if (char === '-') return !this.isBlank(1)
    if (this.#flowLevel === 0 && (char === '?' || char === ':')) return !this.isBlankOrEnd(1)
    return !this.isBlankOrEnd() && !'-?:,[]{}#&*!|>\'"%@`'.includes(char)
  }

  #skipToToken(): void {
    for (;;) {
      if (this.column === 0 && this.char === '\ufeff') this.skip()
      while (this.char === ' ' || ((this.#flowLevel > 0 || !this.#keyAllowed) && this.char === '\t')) this.skip()
      this.skipComment()
      if (!this.isBreak()) return
      this.skipLine()
      if (this.#flowLevel === 0) this.#keyAllowed = true
    }
  }

  #keyHere(isPossible: boolean, isRequired: boolean): SimpleKey {
    const { at, line, column } = this
    return { isPossible, isRequired, number: this.#taken + this.#tokens.length - this.#head, at, line, column }
  }

  get #lastKey(): SimpleKey {
    return this.#keys.at(-1) ?? this.#keyHere(false, false)
  }

  #isValidKey(key: SimpleKey): boolean {
    if (!key.isPossible) return false
    if (key.line >= this.line && key.at + LONGEST_KEY >= this.at) return true
    if (key.isRequired) this.fail("could not find expected ':'")
    key.isPossible = false
    return false
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return
    const key = this.#keyHere(true, this.#flowLevel === 0 && this.#indent === this.column)
    this.#removeKey()
    this.#keys[this.#keys.length - 1] = key
    this.#keyOfToken.set(key.number, this.#keys.length - 1)
  }

  #removeKey(): void {
    const key = this.#lastKey
    if (!key.isPossible) return
    if (key.isRequired) this.fail("could not find expected ':'")
    key.isPossible = false
    this.#keyOfToken.delete(key.number)
  }

  /** Opens a block collection if the column is further to the right. `number`: number of the token that it precedes. */
  #rollIndent(column: number, type: 'block sequence' | 'block mapping', line: number, number?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return
    this.#indents.push(this.#indent)
    this.#indent = column
    if (this.#indents.length > MAX_DEPTH) this.fail(`exceeded max depth of ${MAX_DEPTH}`)
    const token = { type, line, value: '', end: this.at }
    if (number === undefined) this.#tokens.push(token)
    else this.#tokens.splice(this.#head + number - this.#taken, 0, token)
  }

  #unrollIndent(column: number): void {
    if (this.#flowLevel > 0) return
    while (this.#indent > column) {
      this.#push('block end')
      this.#indent = this.#indents.pop() ?? -1
    }
  }

  #fetchStreamEnd(): void {
    if (this.column !== 0) {
      this.column = 0
      this.line++
    }
    this.#endBlocks()
    this.#push('stream end')
  }

  #endBlocks(): void {
    this.#unrollIndent(-1)
    this.#removeKey()
    this.#keyAllowed = false
  }

  #fetchDocumentMark(type: 'document start' | 'document end'): void {
    this.#endBlocks()
    this.#push(type)
    for (let i = 0; i < 3; i++) this.skip()
  }

  #fetchFlowStart(type: '[' | '{'): void {
    this.#saveKey()
    this.#keys.push(this.#keyHere(false, false))
    if (++this.#flowLevel > MAX_DEPTH) this.fail(`exceeded max depth of ${MAX_DEPTH}`)
    this.#keyAllowed = true
    this.#push(type)
    this.skip()
  }

  #fetchFlowEnd(type: ']' | '}'): void {
    this.#removeKey()
    if (this.#flowLevel > 0) {
      this.#flowLevel--
      this.#keyOfToken.delete(this.#lastKey.number)
      this.#keys.pop()
    }
    this.#keyAllowed = false
    this.skip()
    this.#push(type)
  }

  #fetchFlowEntry(): void {
    this.#removeKey()
    this.#keyAllowed = true
    this.#push(',')
    this.skip()
  }

  #fetchBlockEntry(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.fail('block sequence entries are not allowed in this context')
      this.#rollIndent(this.column, 'block sequence', this.line)
    }
    this.#removeKey()
    this.#keyAllowed = true
    this.#push('-')
    this.skip()
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.fail('mapping keys are not allowed in this context')
      this.#rollIndent(this.column, 'block mapping', this.line)
    }
    this.#removeKey()
    this.#keyAllowed = this.#flowLevel === 0
    this.#push('?')
    this.skip()
  }

  #fetchValue(): void {
    const key = this.#lastKey
    if (this.#isValidKey(key)) {
      this.#tokens.splice(this.#head + key.number - this.#taken, 0, { type: '?', line: key.line, value: '', end: key.at })
      this.#rollIndent(key.column, 'block mapping', key.line, key.number)
      key.isPossible = false
      this.#keyOfToken.delete(key.number)
      this.#keyAllowed = false
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) this.fail('mapping values are not allowed in this context')
        this.#rollIndent(this.column, 'block mapping', this.line)
      }
      this.#keyAllowed = this.#flowLevel === 0
    }
    this.#push(':')
    this.skip()
  }

  #fetchDirective(): void {
    this.#endBlocks()
    const { line } = this
    const { type, value } = scanDirective(this)
    this.#push(type, value, line)
  }

  #fetchAnchor(type: 'alias' | 'anchor'): void {
    this.#saveKey()
    this.#keyAllowed = false
    const { line } = this
    this.#push(type, scanAnchor(this), line)
  }

  #fetchTag(): void {
    this.#saveKey()
    this.#keyAllowed = false
    const { line } = this
    this.#push('tag', scanTag(this), line)
  }

  #fetchBlockScalar(): void {
    this.#removeKey()
    this.#keyAllowed = true
    const { line } = this
    scanBlockScalar(this, this.#indent)
    this.#push('scalar', '', line)
  }

  #fetchQuoted(quote: "'" | '"'): void {
    this.#saveKey()
    this.#keyAllowed = false
    const { line } = this
    scanQuoted(this, quote)
    this.#push('scalar', '', line)
  }

  #fetchPlain(): void {
    this.#saveKey()
    this.#keyAllowed = false
    const { line } = this
    if (scanPlain(this, this.#indent + 1, this.#flowLevel > 0)) this.#keyAllowed = true
    this.#push('scalar', '', line)
  }
}
