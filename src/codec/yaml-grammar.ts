import { isStepDone, type Steps } from '../lib/steps.ts'
import { YamlProblem } from './yaml-cursor.ts'
import { type Token, type TokenType, YamlScanner } from './yaml-scanner.ts'

/** A state of the parser. Returns the next state; undefined at the end of the document. */
type State = () => State | undefined

const HANDLES = ['!', '!!']

/**
 * The parser of go-yaml 2, reduced to finding faults in the first document of a text. Uses an explicit stack, because a text can be nested deeper than the call
 * stack. Source: parserc.go in sigs.k8s.io/yaml/goyaml.v2.
 */
class Grammar {
  readonly #scanner: YamlScanner
  /** States that follow the open nodes, innermost last. */
  readonly #after: State[] = []
  readonly #anchors = new Set<string>()
  #handles: readonly string[] = HANDLES
  /** Tag of the current node. */
  #tag: Token | undefined
  /** Offset after the last token consumed. */
  #end = 0

  constructor(text: string) {
    this.#scanner = new YamlScanner(text)
  }

  /**
   * Returns the offset where the document ends if text follows that belongs to no document. Throws YamlProblem, and UnknownAnchor for an alias without an
   * anchor.
   */
  *check(): Steps<number | undefined> {
    for (let state: State | undefined = this.#document; state !== undefined; ) {
      if (isStepDone()) yield
      state = state()
    }
    return this.#is('stream end', 'document start', 'document end') ? undefined : this.#end
  }

  #take(): void {
    this.#end = this.#scanner.peek().end
    this.#scanner.skipToken()
  }

  #next(): Token {
    this.#take()
    return this.#scanner.peek()
  }

  #is(...types: TokenType[]): boolean {
    return types.includes(this.#scanner.peek().type)
  }

  #fail(problem: string, line = this.#scanner.peek().line): never {
    throw new YamlProblem(problem, line, false)
  }

  readonly #document: State = () => {
    if (this.#is('stream end')) return undefined
    const isImplicit = !this.#is('version', 'tag directive', 'document start')
    if (isImplicit) return this.#node(this.#documentEnd)
    this.#directives()
    if (!this.#is('document start')) this.#fail('did not find expected <document start>')
    this.#next()
    if (this.#is('version', 'tag directive', 'document start', 'document end', 'stream end')) return this.#documentEnd
    return this.#node(this.#documentEnd)
  }

  #directives(): void {
    let hasVersion = false
    const handles: string[] = []
    for (let token = this.#scanner.peek(); token.type === 'version' || token.type === 'tag directive'; token = this.#next()) {
      if (token.type === 'tag directive') {
        if (handles.includes(token.value)) this.#fail('found duplicate %TAG directive')
        handles.push(token.value)
        continue
      }
      if (hasVersion) this.#fail('found duplicate %YAML directive')
      if (token.value !== '1.1') this.#fail('found incompatible YAML document')
      hasVersion = true
    }
    this.#handles = [...handles, ...HANDLES]
  }

  /** The document ends before the next token, which must be valid. */
  readonly #documentEnd: State = () => {
    this.#scanner.peek()
    return undefined
  }

  #pop(): State | undefined {
    return this.#after.pop()
  }

  /** Parses a node. `after`: state that follows it. */
  #node(after: State, { isBlock = true, mayBeIndentless = false } = {}): State | undefined {
    this.#after.push(after)
    let token = this.#scanner.peek()
    if (token.type === 'alias') {
      if (!this.#anchors.has(token.value)) throw new UnknownAnchor(token.value)
      this.#take()
      return this.#pop()
    }
    const first = token
    for (let i = 0; i < 2 && (token.type === 'anchor' || token.type === 'tag') && (i === 0 || token.type !== first.type); i++) {
      this.#takeProperty(token)
      token = this.#next()
    }
    this.#checkHandle()
    if (mayBeIndentless && token.type === '-') return this.#indentlessEntry
    const content = this.#contentOf(token.type, isBlock)
    if (content !== undefined) {
      this.#take()
      return content()
    }
    if (token !== first) return this.#pop()
    return this.#fail('did not find expected node content')
  }

  /** Returns the state after a token that begins a node; undefined if the token does not begin one. */
  #contentOf(type: TokenType, isBlock: boolean): State | undefined {
    if (type === 'scalar') return () => this.#pop()
    if (type === '[') return () => this.#flowSequence(true)
    if (type === '{') return () => this.#flowMapping(true)
    if (isBlock && type === 'block sequence') return () => this.#blockEntry
    if (isBlock && type === 'block mapping') return () => this.#blockKey
  }

  #takeProperty(token: Token): void {
    if (token.type === 'anchor') this.#anchors.add(token.value)
    else this.#tag = token
  }

  #checkHandle(): void {
    const tag = this.#tag
    this.#tag = undefined
    if (tag !== undefined && tag.value !== '' && !this.#handles.includes(tag.value)) this.#fail('found undefined tag handle', tag.line)
  }

  readonly #blockEntry: State = () => {
    if (this.#is('-')) {
      this.#next()
      return this.#is('-', 'block end') ? this.#blockEntry : this.#node(this.#blockEntry)
    }
    if (!this.#is('block end')) this.#fail("did not find expected '-' indicator")
    this.#take()
    return this.#pop()
  }

  readonly #indentlessEntry: State = () => {
    if (!this.#is('-')) return this.#pop()
    this.#next()
    return this.#is('-', '?', ':', 'block end') ? this.#indentlessEntry : this.#node(this.#indentlessEntry)
  }

  readonly #blockKey: State = () => {
    if (this.#is('?')) {
      this.#next()
      return this.#is('?', ':', 'block end') ? this.#blockValue : this.#node(this.#blockValue, { mayBeIndentless: true })
    }
    if (!this.#is('block end')) this.#fail('did not find expected key')
    this.#take()
    return this.#pop()
  }

  readonly #blockValue: State = () => {
    if (!this.#is(':')) return this.#blockKey
    this.#next()
    return this.#is('?', ':', 'block end') ? this.#blockKey : this.#node(this.#blockKey, { mayBeIndentless: true })
  }

  readonly #flowSequence =
    (isFirst: boolean): State =>
    () => {
      if (!this.#is(']')) {
        if (!isFirst) {
          if (!this.#is(',')) this.#fail("did not find expected ',' or ']'")
          this.#next()
        }
        if (this.#is('?')) {
          this.#take()
          return this.#pairKey
        }
        if (!this.#is(']')) return this.#node(this.#flowSequence(false), { isBlock: false })
      }
      this.#take()
      return this.#pop()
    }

  /** Parses a single-pair mapping in a flow sequence, which has no braces. */
  readonly #pairKey: State = () => {
    if (!this.#is(':', ',', ']')) return this.#node(this.#pairValue, { isBlock: false })
    this.#take()
    return this.#pairValue
  }

  readonly #pairValue: State = () => {
    if (this.#is(':')) {
      this.#next()
      if (!this.#is(',', ']')) return this.#node(this.#pairEnd, { isBlock: false })
    }
    return this.#pairEnd
  }

  readonly #pairEnd: State = () => {
    this.#scanner.peek()
    return this.#flowSequence(false)
  }

  readonly #flowMapping =
    (isFirst: boolean): State =>
    () => {
      if (!this.#is('}')) {
        if (!isFirst) {
          if (!this.#is(',')) this.#fail("did not find expected ',' or '}'")
          this.#next()
        }
        if (this.#is('?')) {
          this.#next()
          return this.#is(':', ',', '}') ? this.#flowValue : this.#node(this.#flowValue, { isBlock: false })
        }
        if (!this.#is('}')) return this.#node(this.#emptyValue, { isBlock: false })
      }
      this.#take()
      return this.#pop()
    }

  readonly #flowValue: State = () => {
    if (this.#is(':')) {
      this.#next()
      if (!this.#is(',', '}')) return this.#node(this.#flowMapping(false), { isBlock: false })
    }
    return this.#flowMapping(false)
  }

  readonly #emptyValue: State = () => {
    this.#scanner.peek()
    return this.#flowMapping(false)
  }
}

/** An alias whose anchor is not defined. */
class UnknownAnchor extends Error {}

/** Result of go-yaml's parser for a text. */
export interface GoYamlForm {
  /** Error if the text is not valid YAML: `yaml: line 4: did not find expected key`. */
  readonly fault?: string
  /** Offset of the end of the first document, if go-yaml ignores the rest: `{a: b} c`. */
  readonly end?: number | undefined
}

/** Checks a text with the grammar of go-yaml, in steps. Takes time linear in the text. */
export function* goYamlForm(text: string): Steps<GoYamlForm> {
  try {
    return { end: yield* new Grammar(text).check() }
  } catch (error) {
    if (error instanceof UnknownAnchor) return { fault: `yaml: unknown anchor '${error.message}' referenced` }
    if (!(error instanceof YamlProblem)) throw error
    const { line, ofScanner, message } = error
    return { fault: `yaml: ${line === 0 ? '' : `line ${ofScanner ? line + 1 : line}: `}${message}` }
  }
}
