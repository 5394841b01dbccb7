import { isStepDone, type Steps } from '../lib/steps.ts'
import { YamlProblem } from './yaml-cursor.ts'
import { type NodeProperties, YAML_TAG_PREFIX, type YamlEvent } from './yaml-event.ts'
import { YamlScanner } from './yaml-scanner.ts'
import type { Token, TokenType } from './yaml-token.ts'

/** A state of the parser. Returns the next state; undefined at the end of the document. */
type State = () => State | undefined

/** Consumes events of a document, in order. */
export type EventConsumer = (events: readonly YamlEvent[]) => Steps<void>

/** Events that are consumed at once. */
const BATCH = 256

/** Tags that handles stand for without a directive. */
const HANDLES: readonly (readonly [handle: string, prefix: string])[] = [
  ['!', '!'],
  ['!!', YAML_TAG_PREFIX],
]

/**
 * The parser of go-yaml 2. Uses an explicit stack, because a text can be nested deeper than the call stack. Source:
 * parserc.go in sigs.k8s.io/yaml/goyaml.v2.
 */
export class YamlGrammar {
  readonly #scanner: YamlScanner
  /** States that follow the open nodes, innermost last. */
  readonly #after: State[] = []
  readonly #anchors = new Set<string>()
  #handles: ReadonlyMap<string, string> = new Map(HANDLES)
  /** Anchor and tag of the current node. */
  #anchor: Token | undefined
  #tag: Token | undefined
  /** Line of the token that was taken last, and the offset at which it ends. */
  #takenLine = 0
  #takenEnd = 0
  /** Events that are not consumed yet. */
  #events: YamlEvent[] = []
  readonly #isWhole: boolean

  /** `isWhole`: whether all documents of the text are parsed, and not only the first. */
  constructor(text: string, isWhole: boolean) {
    this.#scanner = new YamlScanner(text)
    this.#isWhole = isWhole
  }

  /** Throws YamlProblem, and UnknownAnchor for an alias without an anchor. */
  *parse(consume: EventConsumer): Steps<void> {
    for (let state: State | undefined = this.#document; state !== undefined; ) {
      while (!this.#scanner.prepare()) yield
      if (isStepDone()) yield
      state = state()
      if (this.#events.length >= BATCH || state === undefined) {
        yield* consume(this.#events)
        this.#events = []
      }
    }
  }

  /** Whether the scanner has read beyond an offset. */
  hasRead(offset: number): boolean {
    return this.#scanner.hasRead(offset)
  }

  #take(): void {
    const { line, end } = this.#scanner.peek()
    this.#takenLine = line
    this.#takenEnd = end
    this.#scanner.skipToken()
  }

  /** Takes a token. The next one, which may be long, is scanned in steps before the state. */
  #afterTake(state: State): State {
    this.#take()
    return state
  }

  #is(...types: TokenType[]): boolean {
    return types.includes(this.#scanner.peek().type)
  }

  #fail(problem: string, { line, start: at } = this.#scanner.peek()): never {
    throw new YamlProblem(problem, { line, at }, false)
  }

  /** Takes the properties of the current node, which has these lines and offsets if it has none. */
  #takeProperties({ line, start, end }: TokenRange): NodeProperties {
    const anchor = this.#anchor
    const tag = this.#tag
    if (anchor === undefined && tag === undefined) return { anchor: undefined, tag: '', line: line + 1, start, end }
    this.#anchor = undefined
    this.#tag = undefined
    const first = anchor === undefined || (tag !== undefined && tag.start < anchor.start) ? tag : anchor
    return {
      anchor: anchor?.value,
      tag: tag === undefined ? '' : this.#tagOf(tag),
      line: Math.min(first?.line ?? line, line) + 1,
      start: Math.min(first?.start ?? start, start),
      end: Math.max(anchor?.end ?? end, tag?.end ?? end, end),
    }
  }

  /** Returns a complete tag. Its handle is defined. */
  #tagOf({ value, suffix }: Token): string {
    return value === '' ? suffix : `${this.#handles.get(value)}${suffix}`
  }

  #begin(type: 'sequence' | 'mapping', isFlow: boolean): void {
    this.#events.push({ type, isFlow, ...this.#takeProperties(this.#scanner.peek()) })
  }

  readonly #close = (): State | undefined => {
    this.#end()
    return this.#pop()
  }

  #end(): void {
    this.#events.push({ type: 'end', end: this.#takenEnd })
  }

  #scalar(text: string, isPlain: boolean, range: TokenRange): void {
    this.#events.push({ type: 'scalar', text, isPlain, ...this.#takeProperties(range) })
  }

  /** Adds a node without text. Returns the state that follows. */
  #empty(next: State, line = this.#takenLine): State {
    this.#scalar('', true, { line, start: this.#takenEnd, end: this.#takenEnd })
    return next
  }

  /** Adds a node without text at the next token. */
  #emptyHere(next: State): State {
    return this.#empty(next, this.#scanner.peek().line)
  }

  readonly #document: State = () => {
    if (this.#is('stream end')) return undefined
    this.#events.push({ type: 'document' })
    const isImplicit = !this.#is('version', 'tag directive', 'document start')
    if (isImplicit) return this.#node(this.#documentEnd)
    this.#directives()
    if (!this.#is('document start')) this.#fail('did not find expected <document start>')
    return this.#afterTake(() =>
      this.#is('version', 'tag directive', 'document start', 'document end', 'stream end')
        ? this.#emptyHere(this.#documentEnd)
        : this.#node(this.#documentEnd),
    )
  }

  /**
   * Reads the directives before a document. Only YAML 1.1 is accepted, as in go-yaml; handles apply to this document
   * only.
   */
  #directives(): void {
    let hasVersion = false
    const handles = new Map<string, string>()
    for (
      let token = this.#scanner.peek();
      token.type === 'version' || token.type === 'tag directive';
      this.#take(), token = this.#scanner.peek()
    ) {
      if (token.type === 'tag directive') {
        if (handles.has(token.value)) this.#fail('found duplicate %TAG directive')
        handles.set(token.value, token.suffix)
        continue
      }
      if (hasVersion) this.#fail('found duplicate %YAML directive')
      if (token.value !== '1.1') this.#fail('found incompatible YAML document')
      hasVersion = true
    }
    this.#handles = new Map([...HANDLES, ...handles])
  }

  /** The document ends before the next token, which must be valid. */
  readonly #documentEnd: State = () => {
    this.#scanner.peek()
    this.#end()
    return this.#isWhole ? this.#nextDocument : undefined
  }

  readonly #nextDocument: State = () => {
    if (this.#is('stream end')) return undefined
    if (this.#is('document end')) return this.#afterTake(this.#nextDocument)
    if (!this.#is('version', 'tag directive', 'document start')) this.#fail('did not find expected <document start>')
    // Anchors and directives apply to one document.
    this.#anchors.clear()
    this.#handles = new Map(HANDLES)
    return this.#document
  }

  #pop(): State | undefined {
    return this.#after.pop()
  }

  /** Parses a node. `after`: state that follows it. */
  #node(after: State, options: NodeOptions = {}): State | undefined {
    this.#after.push(after)
    const token = this.#scanner.peek()
    if (token.type !== 'alias') return this.#properties(token, 0, options)
    const { value: name, line, start, end } = token
    if (!this.#anchors.has(name)) throw new UnknownAnchor(name, start)
    this.#events.push({ type: 'alias', name, line: line + 1, start, end })
    this.#take()
    return this.#pop()
  }

  /**
   * Parses a node from its properties on: an anchor and a tag, in any order. `count`: number of those that were taken.
   */
  #properties(first: Token, count: number, options: NodeOptions): State | undefined {
    const token = this.#scanner.peek()
    if (count < 2 && (token.type === 'anchor' || token.type === 'tag') && (count === 0 || token.type !== first.type)) {
      this.#takeProperty(token)
      return this.#afterTake(() => this.#properties(first, count + 1, options))
    }
    const { isBlock = true, mayBeIndentless = false } = options
    this.#checkHandle()
    if (mayBeIndentless && token.type === '-') {
      this.#begin('sequence', false)
      return this.#indentlessEntry
    }
    const content = this.#contentOf(token, isBlock)
    if (content !== undefined) {
      this.#take()
      return content()
    }
    if (token !== first) {
      this.#scalar('', true, { line: token.line, start: this.#takenEnd, end: this.#takenEnd })
      return this.#pop()
    }
    return this.#fail('did not find expected node content')
  }

  /** Returns the state after a token that begins a node; undefined if the token does not begin one. */
  #contentOf(token: Token, isBlock: boolean): State | undefined {
    const { type, value, isPlain } = token
    if (type === 'scalar') {
      this.#scalar(value, isPlain, token)
      return () => this.#pop()
    }
    const isFlow = type === '[' || type === '{'
    if (!isFlow && !(isBlock && (type === 'block sequence' || type === 'block mapping'))) return undefined
    const isSequence = type === '[' || type === 'block sequence'
    this.#begin(isSequence ? 'sequence' : 'mapping', isFlow)
    if (isFlow) return () => (isSequence ? this.#flowSequence(true) : this.#flowMapping(true))
    return () => (isSequence ? this.#blockEntry : this.#blockKey)
  }

  #takeProperty(token: Token): void {
    if (token.type === 'anchor') {
      this.#anchors.add(token.value)
      this.#anchor = token
    } else this.#tag = token
  }

  #checkHandle(): void {
    const tag = this.#tag
    if (tag !== undefined && tag.value !== '' && !this.#handles.has(tag.value)) this.#fail('found undefined tag handle', tag)
  }

  readonly #blockEntry: State = () => {
    if (this.#is('-')) {
      return this.#afterTake(() => (this.#is('-', 'block end') ? this.#empty(this.#blockEntry) : this.#node(this.#blockEntry)))
    }
    if (!this.#is('block end')) this.#fail("did not find expected '-' indicator")
    this.#take()
    return this.#close()
  }

  readonly #indentlessEntry: State = () => {
    if (!this.#is('-')) return this.#close()
    return this.#afterTake(() =>
      this.#is('-', '?', ':', 'block end') ? this.#empty(this.#indentlessEntry) : this.#node(this.#indentlessEntry),
    )
  }

  readonly #blockKey: State = () => {
    if (this.#is('?')) {
      return this.#afterTake(() =>
        this.#is('?', ':', 'block end') ? this.#empty(this.#blockValue) : this.#node(this.#blockValue, { mayBeIndentless: true }),
      )
    }
    if (!this.#is('block end')) this.#fail('did not find expected key')
    this.#take()
    return this.#close()
  }

  readonly #blockValue: State = () => {
    if (!this.#is(':')) return this.#emptyHere(this.#blockKey)
    return this.#afterTake(() =>
      this.#is('?', ':', 'block end') ? this.#empty(this.#blockKey) : this.#node(this.#blockKey, { mayBeIndentless: true }),
    )
  }

  readonly #flowSequence =
    (isFirst: boolean): State =>
    () => {
      if (isFirst || this.#is(']')) return this.#flowItem()
      if (!this.#is(',')) this.#fail("did not find expected ',' or ']'")
      return this.#afterTake(this.#flowItem)
    }

  readonly #flowItem: State = () => {
    if (this.#is('?')) {
      this.#begin('mapping', false)
      return this.#afterTake(this.#pairKey)
    }
    if (!this.#is(']')) return this.#node(this.#flowSequence(false), { isBlock: false })
    this.#take()
    return this.#close()
  }

  /** Parses a single-pair mapping in a flow sequence, which has no braces. */
  readonly #pairKey: State = () => {
    if (!this.#is(':', ',', ']')) return this.#node(this.#pairValue, { isBlock: false })
    this.#take()
    return this.#empty(this.#pairValue)
  }

  readonly #pairValue: State = () => {
    if (!this.#is(':')) return this.#emptyHere(this.#pairEnd)
    return this.#afterTake(() => (this.#is(',', ']') ? this.#emptyHere(this.#pairEnd) : this.#node(this.#pairEnd, { isBlock: false })))
  }

  readonly #pairEnd: State = () => {
    this.#scanner.peek()
    this.#end()
    return this.#flowSequence(false)
  }

  readonly #flowMapping =
    (isFirst: boolean): State =>
    () => {
      if (isFirst || this.#is('}')) return this.#flowKey()
      if (!this.#is(',')) this.#fail("did not find expected ',' or '}'")
      return this.#afterTake(this.#flowKey)
    }

  readonly #flowKey: State = () => {
    if (this.#is('?'))
      return this.#afterTake(() =>
        this.#is(':', ',', '}') ? this.#emptyHere(this.#flowValue) : this.#node(this.#flowValue, { isBlock: false }),
      )
    if (!this.#is('}')) return this.#node(this.#emptyValue, { isBlock: false })
    this.#take()
    return this.#close()
  }

  readonly #flowValue: State = () => {
    const next = this.#flowMapping(false)
    if (!this.#is(':')) return this.#emptyHere(next)
    return this.#afterTake(() => (this.#is(',', '}') ? this.#emptyHere(next) : this.#node(next, { isBlock: false })))
  }

  readonly #emptyValue: State = () => {
    this.#scanner.peek()
    return this.#emptyHere(this.#flowMapping(false))
  }
}

/** Context of a node. `mayBeIndentless`: a block sequence may begin at the column of its key. */
interface NodeOptions {
  readonly isBlock?: boolean
  readonly mayBeIndentless?: boolean
}

/** Lines and offsets of a token. */
type TokenRange = Pick<Token, 'line' | 'start' | 'end'>

/** An alias whose anchor is not defined. */
export class UnknownAnchor extends Error {
  readonly at: number

  constructor(anchor: string, at: number) {
    super(anchor)
    this.at = at
  }
}
