import { unquote } from './go-literal.ts'
import { lexTemplate, type TemplateToken, type TokenKind, templateError } from './lexer.ts'
import { type Command, GoFloat, type Operand, type Pipe, type TemplateNode, type TemplateTree } from './nodes.ts'

/** Deepest nesting of actions and parentheses. */
const MAX_DEPTH = 100

/** Kinds of tokens that begin an operand. */
const OPERANDS: ReadonlySet<TokenKind> = new Set(['string', 'raw', 'char', 'number', 'field', 'variable', 'word', 'dot'])
const CONTROLS: ReadonlySet<string> = new Set(['if', 'with', 'range', 'else', 'end', 'define', 'block', 'template', 'break', 'continue'])

/**
 * Parses a template in the language of Go's text/template. Throws TemplateError, also for functions that do not exist.
 * Source: Go, text/template/parse/parse.go.
 */
export const parseTemplate = (source: string, hasFunction: (name: string) => boolean): TemplateTree =>
  new TemplateParser(source, hasFunction).tree()

/** Nodes up to `end` or `else`. */
interface Body {
  readonly nodes: readonly TemplateNode[]
  readonly end: 'end' | 'else' | 'end of template'
}

class TemplateParser {
  readonly #tokens: readonly TemplateToken[]
  readonly #hasFunction: (name: string) => boolean
  readonly #defined = new Map<string, readonly TemplateNode[]>()
  #at = 0
  #variables: string[] = ['$']
  #depth = 0
  #ranges = 0

  constructor(source: string, hasFunction: (name: string) => boolean) {
    this.#tokens = lexTemplate(source)
    this.#hasFunction = hasFunction
  }

  tree(): TemplateTree {
    const { nodes, end } = this.#body()
    if (end !== 'end of template') throw templateError(this.#peek().line, `unexpected {{${end}}}`)
    return { root: nodes, defined: this.#defined }
  }

  #body(): Body {
    if (++this.#depth > MAX_DEPTH) throw templateError(this.#peek().line, 'actions are nested too deeply')
    const nodes: TemplateNode[] = []
    for (;;) {
      const { kind, text, line } = this.#next()
      if (kind === 'text') nodes.push({ kind, text })
      else if (kind === 'end') return this.#ended(nodes, 'end of template')
      else {
        const word = this.#control()
        if (word === 'end' || word === 'else') {
          if (word === 'end') this.#close('end')
          return this.#ended(nodes, word)
        }
        nodes.push(...this.#action(word, line))
      }
    }
  }

  #ended(nodes: readonly TemplateNode[], end: Body['end']): Body {
    this.#depth--
    return { nodes, end }
  }

  /** Reads the keyword of an action. Undefined if the action is a pipeline. */
  #control(): string | undefined {
    this.#skipSpace()
    const { kind, text } = this.#peek()
    if (kind !== 'word' || !CONTROLS.has(text)) return undefined
    this.#at++
    return text
  }

  #action(word: string | undefined, line: number): TemplateNode[] {
    switch (word) {
      case undefined:
        return [{ kind: 'action', pipe: this.#pipe('command', 'close') }]
      case 'if':
      case 'with':
      case 'range':
        return [this.#branch(word)]
      case 'break':
      case 'continue':
        this.#close(word)
        if (this.#ranges === 0) throw templateError(line, `{{${word}}} outside {{range}}`)
        return [{ kind: word }]
      case 'template':
        return [this.#template(line)]
      default:
        return this.#definition(word, line)
    }
  }

  /** Parses `if`, `with` or `range` after its keyword. `{{else if}}` is an `if` within the `else`. */
  #branch(kind: 'if' | 'with' | 'range'): TemplateNode {
    const outer = this.#variables
    this.#variables = [...outer]
    const { line } = this.#peek()
    const pipe = this.#pipe(kind, 'close')
    if (kind === 'range') this.#ranges++
    const { nodes: body, end } = this.#body()
    if (kind === 'range') this.#ranges--
    const otherwise = end === 'else' ? this.#else(kind) : []
    this.#variables = outer
    if (end === 'end of template') throw templateError(line, `{{${kind}}} without {{end}}`)
    return { kind, pipe, body, otherwise }
  }

  #else(kind: 'if' | 'with' | 'range'): readonly TemplateNode[] {
    this.#skipSpace()
    const { kind: next, text, line } = this.#peek()
    if (next === 'word' && text === kind && kind !== 'range') {
      this.#at++
      if (++this.#depth > MAX_DEPTH) throw templateError(line, 'actions are nested too deeply')
      const inner = this.#branch(kind)
      this.#depth--
      return [inner]
    }
    this.#close('else')
    const { nodes, end } = this.#body()
    if (end !== 'end') throw templateError(line, `{{else}} without {{end}}`)
    return nodes
  }

  #template(line: number): TemplateNode {
    const name = this.#name('template')
    this.#skipSpace()
    const isAlone = this.#peek().kind === 'close'
    if (isAlone) this.#at++
    return { kind: 'template', name, pipe: isAlone ? undefined : this.#pipe('template', 'close'), line }
  }

  /** Parses `define` or `block`, which is a definition that is used at once. */
  #definition(word: string, line: number): TemplateNode[] {
    const name = this.#name(word)
    const pipe = word === 'block' ? this.#pipe('block', 'close') : undefined
    if (word !== 'block') this.#close(word)
    const outer = this.#variables
    this.#variables = ['$']
    const { nodes, end } = this.#body()
    this.#variables = outer
    if (end !== 'end') throw templateError(line, `{{${word}}} without {{end}}`)
    this.#defined.set(name, nodes)
    return pipe === undefined ? [] : [{ kind: 'template', name, pipe, line }]
  }

  #name(word: string): string {
    this.#skipSpace()
    const { kind, text, line } = this.#next()
    if (kind !== 'string' && kind !== 'raw') throw templateError(line, `{{${word}}} needs a quoted name`)
    return this.#unquoted(text, line)
  }

  #pipe(context: string, end: 'close' | ')'): Pipe {
    const { line } = this.#peek()
    const { variables, isAssignment } = this.#declarations(context)
    const commands: Command[] = []
    for (;;) {
      this.#skipSpace()
      const token = this.#peek()
      if (end === ')' ? token.kind === 'sign' && token.text === ')' : token.kind === 'close') break
      if (!OPERANDS.has(token.kind) && !(token.kind === 'sign' && token.text === '(')) throw this.#unexpected(context)
      commands.push(this.#command(commands.length))
    }
    this.#at++
    if (commands.length === 0) throw templateError(line, `missing value for ${context}`)
    return { variables, isAssignment, commands, line }
  }

  /** Parses `$x :=`, `$x =`, and `$i, $x :=` of a range. */
  #declarations(context: string): { variables: readonly string[]; isAssignment: boolean } {
    const variables: string[] = []
    for (;;) {
      this.#skipSpace()
      const start = this.#at
      const { kind, text, line } = this.#peek()
      if (kind !== 'variable') break
      this.#at++
      this.#skipSpace()
      const { kind: next, text: sign } = this.#peek()
      if (next === 'sign' && (sign === ':=' || sign === '=')) {
        this.#at++
        variables.push(text)
        this.#variables.push(text)
        return { variables, isAssignment: sign === '=' }
      }
      if (next !== 'sign' || sign !== ',') {
        this.#at = start
        break
      }
      if (context !== 'range' || variables.length > 0) throw templateError(line, `too many declarations in ${context}`)
      this.#at++
      variables.push(text)
      this.#variables.push(text)
    }
    if (variables.length > 0) throw this.#unexpected('range can only initialize variables')
    return { variables, isAssignment: false }
  }

  #command(stage: number): Command {
    const { line } = this.#peek()
    const first = this.#operand()
    const operands: [Operand, ...Operand[]] = [first]
    if (stage > 0 && (first.kind === 'dot' || first.kind === 'nil' || first.kind === 'literal'))
      throw templateError(line, `non executable command in pipeline stage ${stage + 1}`)
    while (this.#peek().kind === 'space') {
      this.#skipSpace()
      const { kind, text } = this.#peek()
      if (!OPERANDS.has(kind) && !(kind === 'sign' && text === '(')) break
      operands.push(this.#operand())
    }
    const { kind, text } = this.#peek()
    if (kind === 'sign' && text === '|') {
      this.#at++
      this.#skipSpace()
      if (this.#peek().kind === 'close') throw templateError(line, 'missing value for command')
    } else if (kind !== 'close' && !(kind === 'sign' && text === ')')) throw this.#unexpected('operand')
    return { operands, line }
  }

  /** Parses a term with the fields after it. */
  #operand(): Operand {
    const start = this.#at
    const term = this.#term()
    const fields: string[] = []
    while (this.#peek().kind === 'field') fields.push(this.#next().text.slice(1))
    if (fields.length === 0) return term
    const text = this.#source(start)
    switch (term.kind) {
      case 'field':
      case 'variable':
        return { ...term, fields: [...term.fields, ...fields], text }
      case 'pipe':
        return { ...term, fields, text }
      case 'function':
        return {
          kind: 'pipe',
          pipe: { variables: [], isAssignment: false, commands: [{ operands: [term], line: this.#peek().line }], line: this.#peek().line },
          fields,
          text,
        }
      default:
        throw templateError(this.#peek().line, `unexpected . after term ${JSON.stringify(term.text)}`)
    }
  }

  #term(): Operand {
    const token = this.#next()
    const { kind, text, line } = token
    switch (kind) {
      case 'dot':
        return { kind, text }
      case 'field':
        return { kind, fields: [text.slice(1)], text }
      case 'variable':
        if (!this.#variables.includes(text)) throw templateError(line, `undefined variable ${JSON.stringify(text)}`)
        return { kind, name: text, fields: [], text }
      case 'string':
      case 'raw':
        return { kind: 'literal', value: this.#unquoted(text, line), text }
      case 'char':
        return { kind: 'literal', value: BigInt(this.#unquoted(text, line).codePointAt(0) ?? 0), text }
      case 'number':
        return { kind: 'literal', value: numberOf(text, line), text }
      case 'word':
        return this.#word(token)
      default:
        return this.#parenthesized(token)
    }
  }

  #word({ text, line }: TemplateToken): Operand {
    if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', text }
    if (text === 'nil') return { kind: 'nil', text }
    if (!this.#hasFunction(text)) throw templateError(line, `function ${JSON.stringify(text)} is not supported`)
    return { kind: 'function', name: text, text }
  }

  #parenthesized({ text, line }: TemplateToken): Operand {
    if (text !== '(') throw this.#unexpected('operand')
    if (++this.#depth > MAX_DEPTH) throw templateError(line, 'expressions are nested too deeply')
    const start = this.#at - 1
    const pipe = this.#pipe('parenthesized pipeline', ')')
    this.#depth--
    return { kind: 'pipe', pipe, fields: [], text: this.#source(start) }
  }

  #unquoted(text: string, line: number): string {
    const value = unquote(text)
    if (value === undefined) throw templateError(line, `invalid syntax: ${text}`)
    return value
  }

  /** Returns the source of the tokens from an index to the current one. */
  #source(start: number): string {
    return this.#tokens
      .slice(start, this.#at)
      .map(({ text }) => text)
      .join('')
  }

  #peek(): TemplateToken {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', line: 0 }
  }

  #next(): TemplateToken {
    const token = this.#peek()
    this.#at++
    return token
  }

  #skipSpace(): void {
    while (this.#peek().kind === 'space') this.#at++
  }

  #close(context: string): void {
    this.#skipSpace()
    if (this.#peek().kind !== 'close') throw this.#unexpected(context)
    this.#at++
  }

  #unexpected(context: string): Error {
    const { kind, text, line } = this.#peek()
    return templateError(
      line,
      `unexpected ${kind === 'close' ? '}}' : kind === 'end' ? 'end of template' : JSON.stringify(text)} in ${context}`,
    )
  }
}

const MAX_INT = 2n ** 63n - 1n

/** Parses the number of a literal: an integer, or a float if it has a point or an exponent. */
function numberOf(text: string, line: number): bigint | GoFloat {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '')
  if (/^[0-9]*\.|^[0-9]+[eE]/.test(digits)) return new GoFloat(sign * Number(digits))
  // A leading zero is octal in Go.
  const isOctal = /^0[0-9]+$/.test(digits)
  if (isOctal && /[89]/.test(digits)) throw templateError(line, `bad number syntax: ${JSON.stringify(text)}`)
  const value = BigInt(sign) * BigInt(isOctal ? `0o${digits.slice(1)}` : digits)
  if (value > MAX_INT || value < -MAX_INT) throw templateError(line, `${text} overflows int`)
  return value
}
