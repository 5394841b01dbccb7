import { isStepDone, type Steps } from '../lib/steps.ts'
import { YamlProblem } from './yaml-cursor.ts'
import { YAML_TAG_PREFIX, type YamlEvent } from './yaml-event.ts'
import { type Token, type TokenType, YamlScanner } from './yaml-scanner.ts'
import type { ReaderFault } from './yaml-source.ts'

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
 * The parser of go-yaml 2, for the first document of a text. Uses an explicit stack, because a text can be nested
 * deeper than the call stack. Source: parserc.go in sigs.k8s.io/yaml/goyaml.v2.
 */
class Grammar {
  readonly #scanner: YamlScanner
  /** States that follow the open nodes, innermost last. */
  readonly #after: State[] = []
  readonly #anchors = new Set<string>()
  #handles: ReadonlyMap<string, string> = new Map(HANDLES)
  /** Anchor and tag of the current node. */
  #anchor: Token | undefined
  #tag: Token | undefined
  /** Line of the token that was taken last. */
  #takenLine = 0
  /** Events that are not consumed yet. */
  #events: YamlEvent[] = []

  constructor(text: string) {
    this.#scanner = new YamlScanner(text)
  }

  /** Parses the document. Throws YamlProblem, and UnknownAnchor for an alias without an anchor. */
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
    this.#takenLine = this.#scanner.peek().line
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

  #fail(problem: string, line = this.#scanner.peek().line): never {
    throw new YamlProblem(problem, line, false)
  }

  /** Takes the properties of the current node, which begins on a line if it has none. */
  #takeProperties(line: number): { readonly anchor: string | undefined; readonly tag: string; readonly line: number } {
    const anchor = this.#anchor
    const tag = this.#tag
    this.#anchor = undefined
    this.#tag = undefined
    const first = Math.min(anchor?.line ?? line, tag?.line ?? line, line)
    return { anchor: anchor?.value, tag: tag === undefined ? '' : this.#tagOf(tag), line: first + 1 }
  }

  /** Returns a complete tag. Its handle is defined. */
  #tagOf({ value, suffix }: Token): string {
    return value === '' ? suffix : `${this.#handles.get(value)}${suffix}`
  }

  #begin(type: 'sequence' | 'mapping'): void {
    this.#events.push({ type, ...this.#takeProperties(this.#scanner.peek().line) })
  }

  readonly #close = (): State | undefined => {
    this.#events.push({ type: 'end' })
    return this.#pop()
  }

  #scalar(text: string, isPlain: boolean, line: number): void {
    this.#events.push({ type: 'scalar', text, isPlain, ...this.#takeProperties(line) })
  }

  /** Adds a node without text. Returns the state that follows. */
  #empty(next: State, line = this.#takenLine): State {
    this.#scalar('', true, line)
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
    this.#events.push({ type: 'end' })
    return undefined
  }

  #pop(): State | undefined {
    return this.#after.pop()
  }

  /** Parses a node. `after`: state that follows it. */
  #node(after: State, options: NodeOptions = {}): State | undefined {
    this.#after.push(after)
    const token = this.#scanner.peek()
    if (token.type !== 'alias') return this.#properties(token, 0, options)
    if (!this.#anchors.has(token.value)) throw new UnknownAnchor(token.value)
    this.#events.push({ type: 'alias', name: token.value, line: token.line + 1 })
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
      this.#begin('sequence')
      return this.#indentlessEntry
    }
    const content = this.#contentOf(token, isBlock)
    if (content !== undefined) {
      this.#take()
      return content()
    }
    if (token !== first) {
      this.#scalar('', true, token.line)
      return this.#pop()
    }
    return this.#fail('did not find expected node content')
  }

  /** Returns the state after a token that begins a node; undefined if the token does not begin one. */
  #contentOf({ type, value, isPlain, line }: Token, isBlock: boolean): State | undefined {
    if (type === 'scalar') {
      this.#scalar(value, isPlain, line)
      return () => this.#pop()
    }
    const isFlow = type === '[' || type === '{'
    if (!isFlow && !(isBlock && (type === 'block sequence' || type === 'block mapping'))) return undefined
    const isSequence = type === '[' || type === 'block sequence'
    this.#begin(isSequence ? 'sequence' : 'mapping')
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
    if (tag !== undefined && tag.value !== '' && !this.#handles.has(tag.value)) this.#fail('found undefined tag handle', tag.line)
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
      this.#begin('mapping')
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
    this.#events.push({ type: 'end' })
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

/** An alias whose anchor is not defined. */
class UnknownAnchor extends Error {}

/**
 * Parses the first document of a text with the grammar of go-yaml, in steps, and returns its error:
 * `yaml: line 4: did not find expected key`. Text that follows the document is ignored: `{a: b} c`. Takes time linear
 * in the text. `readerFault`: error that is returned if the scanner reaches it.
 */
export function* parseDocument(text: string, consume: EventConsumer, readerFault?: ReaderFault): Steps<string | undefined> {
  const grammar = new Grammar(text)
  let fault: string | undefined
  try {
    yield* grammar.parse(consume)
  } catch (error) {
    fault = faultText(error)
  }
  return readerFault !== undefined && grammar.hasRead(readerFault.from) ? `yaml: ${readerFault.message}` : fault
}

/** Returns the message of an error of the grammar. Throws any other error. */
function faultText(error: unknown): string {
  if (error instanceof UnknownAnchor) return `yaml: unknown anchor '${error.message}' referenced`
  if (!(error instanceof YamlProblem)) throw error
  const { line, ofScanner, message } = error
  return `yaml: ${line === 0 ? '' : `line ${ofScanner ? line + 1 : line}: `}${message}`
}
