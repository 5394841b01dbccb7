import { isStepDone, isSteps, type Steps } from '../lib/steps.ts'
import { AggregateParser } from './aggregate-parser.ts'
import type { Ast, Expr, ExprId } from './ast.ts'
import { balanced } from './balance.ts'
import { RuleDepth } from './depth.ts'
import { ExpressionBuilder } from './expression-builder.ts'
import { Issues } from './issues.ts'
import { EOF, ESC_IDENTIFIER, IDENTIFIER, readTokens, type Token } from './lexer.ts'
import { literalOf } from './literal-token.ts'
import { LiteralFault } from './literals.ts'
import type { Macros } from './macros.ts'
import {
  CONDITIONAL,
  INDEX,
  LOGICAL_AND,
  LOGICAL_NOT,
  LOGICAL_OR,
  NEGATE,
  OPTIONAL_INDEX,
  OPTIONAL_SELECT,
  PRODUCTS,
  RELATIONS,
  SUMS,
} from './operators.ts'
import { codePointsOf, NO_LOCATION, Source } from './source.ts'
import { ParseStop, TokenCursor } from './token-cursor.ts'
import { NUMBERS, RESERVED, STARTS, WORDS } from './token-sets.ts'

/** Limit for the size of an expression, in code points. */
const MAX_SIZE = 100_000

export interface ParserOptions {
  readonly macros: Macros
  /** Whether the optional syntax is enabled: `a.?b`, `a[?b]`, `[?a]` and `{?a: b}`. */
  readonly optionalSyntax: boolean
}

/** Result of parsing. `ast` is set if there are no issues. */
export type Parsed = { readonly issues: Issues; readonly ast?: Ast }

/** Parses an expression and expands its macros. Never throws: errors are reported as issues. */
export function* parseExpression(text: string, options: ParserOptions): Steps<Parsed> {
  const size = text.length > MAX_SIZE ? codePointsOf(text) : text.length
  if (size > MAX_SIZE) {
    // The expression may be as long as a request body. No part of it is printed, so it is not split into code points.
    const issues = new Issues(new Source(''))
    issues.report(NO_LOCATION, `expression code point size exceeds limit: size: ${size}, limit ${MAX_SIZE}`)
    return { issues }
  }
  const source = new Source(text)
  yield
  const issues = new Issues(source)
  try {
    const cursor = new TokenCursor(yield* readTokens(source), source, issues)
    yield
    const ast = yield* new Parser(cursor, source, issues, options).parse()
    return issues.count === 0 ? { issues, ast } : { issues }
  } catch (error) {
    if (error instanceof ParseStop) return { issues }
    throw error
  }
}

/**
 * A recursive-descent parser with a method for each grammar rule. It yields after some hundred terms. Nodes are
 * numbered in cel-go's order.
 */
class Parser {
  readonly #issues: Issues
  readonly #options: ParserOptions
  readonly #cursor: TokenCursor
  readonly #nodes: ExpressionBuilder
  readonly #rules: RuleDepth
  readonly #aggregates: AggregateParser

  constructor(cursor: TokenCursor, source: Source, issues: Issues, options: ParserOptions) {
    this.#issues = issues
    this.#options = options
    this.#cursor = cursor
    const stop = (message: string): never => {
      issues.report(NO_LOCATION, message)
      throw new ParseStop()
    }
    this.#nodes = new ExpressionBuilder(source, issues, { macros: options.macros, tooMany: stop })
    this.#rules = new RuleDepth(stop)
    const { optionalSyntax } = options
    this.#aggregates = new AggregateParser({ cursor, nodes: this.#nodes, optionalSyntax, expr: () => this.#expr() })
  }

  *parse(): Steps<Ast> {
    const root = yield* this.#expr()
    this.#cursor.expect(EOF)
    if (this.#nodes.isTooDeep(root)) this.#issues.report(NO_LOCATION, 'max recursion depth exceeded')
    return { root, offsets: this.#nodes.offsets }
  }

  *#expr(): Steps<Expr> {
    this.#rules.enter('expr')
    const condition = yield* this.#or()
    const result = this.#cursor.is('?') ? yield* this.#ternary(condition) : condition
    this.#rules.leave('expr')
    return result
  }

  *#ternary(condition: Expr): Steps<Expr> {
    const id = this.#nodes.idAt(this.#cursor.take())
    const yes = yield* this.#cursor.within([':'], this.#or())
    this.#cursor.expect(':')
    const no = yield* this.#expr()
    return this.#nodes.call(id, CONDITIONAL, [condition, yes, no], 1)
  }

  #or(): Steps<Expr> {
    return this.#logic('||', LOGICAL_OR, () => this.#and())
  }

  #and(): Steps<Expr> {
    return this.#logic('&&', LOGICAL_AND, () => this.#relation(true))
  }

  /** Joins the terms of a logical operator in a balanced tree. */
  *#logic(operator: string, name: string, term: () => Steps<Expr>): Steps<Expr> {
    const terms = [yield* term()]
    const ids: ExprId[] = []
    for (let token = this.#cursor.accept(operator); token; token = this.#cursor.accept(operator)) {
      terms.push(yield* term())
      ids.push(this.#nodes.idAt(token))
    }
    return this.#nodes.sized(balanced(name, terms, ids), 0, terms)
  }

  *#relation(more: boolean): Steps<Expr> {
    this.#rules.enter('relation')
    let left = yield* this.#calc(0)
    for (let name = RELATIONS[this.#cursor.current.type]; more && name; name = RELATIONS[this.#cursor.current.type]) {
      const id = this.#nodes.idAt(this.#cursor.take())
      left = this.#nodes.call(id, name, [left, yield* this.#relation(false)], 1)
    }
    this.#rules.leave('relation')
    return left
  }

  /** @param binding minimum precedence: 0 reads all arithmetic, 2 only products, 3 none. */
  *#calc(binding: 0 | 2 | 3): Steps<Expr> {
    this.#rules.enter('calc')
    let left = yield* this.#unary()
    for (let step = this.#arithmetic(binding); step; step = this.#arithmetic(binding)) {
      const id = this.#nodes.idAt(this.#cursor.take())
      left = this.#nodes.call(id, step.name, [left, yield* this.#calc(step.right)], 1)
    }
    this.#rules.leave('calc')
    return left
  }

  #arithmetic(binding: 0 | 2 | 3): { name: string; right: 2 | 3 } | undefined {
    const { type } = this.#cursor.current
    const product = PRODUCTS[type]
    if (product) return binding < 3 ? { name: product, right: 3 } : undefined
    const sum = SUMS[type]
    return sum && binding === 0 ? { name: sum, right: 2 } : undefined
  }

  #unary(): Steps<Expr> {
    this.#cursor.expectOneOf(STARTS)
    if (this.#cursor.is('!')) return this.#prefixed('!', LOGICAL_NOT)
    if (this.#cursor.is('-') && !NUMBERS.has(this.#cursor.peek().type)) return this.#prefixed('-', NEGATE)
    return this.#member()
  }

  /** Reads a run of `!` or `-`. An even number of signs cancels out. */
  *#prefixed(sign: string, name: string): Steps<Expr> {
    const first = this.#cursor.current
    let count = 0
    while (this.#cursor.is(sign)) {
      const { type } = this.#cursor.peek()
      if (sign === '-' && (type === '!' || !STARTS.includes(type))) return yield* this.#badNegation()
      this.#cursor.take()
      count++
    }
    if (!STARTS.includes(this.#cursor.current.type)) this.#cursor.unwanted()
    if (count % 2 === 0) return yield* this.#member()
    const id = this.#nodes.idAt(first)
    return this.#nodes.call(id, name, [yield* this.#member()], 0)
  }

  /** Handles a minus before a term that cannot be negated. cel-go reports it and continues as if it could. */
  #badNegation(): Steps<Expr> {
    this.#cursor.reportNoAlternative(1)
    this.#cursor.take()
    if (this.#cursor.is('!')) return this.#unary()
    this.#cursor.expectOneOf(STARTS)
    return this.#member()
  }

  *#member(): Steps<Expr> {
    if (isStepDone()) yield
    this.#rules.enter('member')
    const primary = this.#primary()
    let expr = isSteps(primary) ? yield* primary : primary
    while (this.#cursor.is('.') || this.#cursor.is('[')) {
      expr = this.#cursor.is('.') ? yield* this.#selection(expr) : yield* this.#index(expr)
      if (isStepDone()) yield
    }
    this.#rules.leave('member')
    return expr
  }

  /**
   * Reads `.name`, `.name(…)` and `.?name`. A name in backticks is read and refused. Without a name, the error lists
   * the tokens that cel-go expects.
   */
  *#selection(operand: Expr): Steps<Expr> {
    const optional = this.#cursor.peek().type === '?'
    const at = optional ? 2 : 1
    const { type } = this.#cursor.peek(at)
    if (type !== IDENTIFIER && type !== ESC_IDENTIFIER) {
      if (!optional) this.#cursor.noAlternative(1)
      this.#cursor.take()
      this.#cursor.take()
      this.#cursor.mismatch([IDENTIFIER, ESC_IDENTIFIER])
    }
    const dot = this.#cursor.take()
    if (optional) this.#cursor.take()
    const name = this.#cursor.take()
    if (name.type === ESC_IDENTIFIER) this.#nodes.fault(name.start, "unsupported syntax: '`'")
    else if (this.#cursor.is('(') && !optional) {
      const id = this.#nodes.idAt(this.#cursor.take())
      return yield* this.#nodes.memberCall(id, name.text, operand, yield* this.#arguments())
    }
    if (!optional)
      return this.#nodes.sized({ kind: 'select', id: this.#nodes.idAt(dot), operand, field: name.text, testOnly: false }, 1, [operand])
    if (!this.#options.optionalSyntax) return this.#nodes.fault(dot.start, "unsupported syntax '.?'")
    const field: Expr = { kind: 'literal', id: this.#nodes.idAt(name), literal: { type: 'string', value: name.text } }
    return this.#nodes.sized({ kind: 'call', id: this.#nodes.idAt(dot), name: OPTIONAL_SELECT, args: [operand, field] }, 1, [operand])
  }

  *#index(target: Expr): Steps<Expr> {
    const open = this.#cursor.take()
    const id = this.#nodes.idAt(open)
    this.#cursor.expectOneOf([...STARTS, '?'])
    const optional = this.#cursor.accept('?') !== undefined
    const index = yield* this.#cursor.within([']'], this.#expr())
    this.#cursor.expect(']')
    if (optional && !this.#options.optionalSyntax) return this.#nodes.fault(open.start, "unsupported syntax '[?'")
    return this.#nodes.call(id, optional ? OPTIONAL_INDEX : INDEX, [target, index], 1)
  }

  /** Reads arguments after the opening bracket of a call. */
  *#arguments(): Steps<Expr[]> {
    const args: Expr[] = []
    this.#cursor.expectOneOf([...STARTS, ')'])
    if (this.#cursor.accept(')')) return args
    yield* this.#cursor.within([',', ')'], this.#eachArgument(args))
    this.#cursor.expect(')')
    return args
  }

  *#eachArgument(args: Expr[]): Steps<void> {
    do args.push(yield* this.#expr())
    while (this.#cursor.accept(','))
  }

  /** Reads a primary expression. Returns steps only if it contains nested expressions. */
  #primary(): Expr | Steps<Expr> {
    const token = this.#cursor.current
    switch (token.type) {
      case '(':
        return this.#nested()
      case '[':
        return this.#aggregates.list()
      case '{':
        return this.#aggregates.map()
      case '.':
        if (this.#cursor.peek().type !== IDENTIFIER) this.#cursor.noAlternative(1)
        return this.#name()
      case IDENTIFIER:
        return this.#name()
      case '-':
        if (NUMBERS.has(this.#cursor.peek().type)) return this.#literal()
        if (WORDS.has(this.#cursor.peek().type)) this.#cursor.noAlternative(1)
        return this.#badNegation()
      default:
        if (!STARTS.includes(token.type) || token.type === '!')
          this.#cursor.expectOneOf(
            STARTS.filter(type => type !== '!'),
            STARTS,
          )
        return this.#literal()
    }
  }

  *#nested(): Steps<Expr> {
    this.#cursor.take()
    const expr = yield* this.#cursor.within([')'], this.#expr())
    this.#cursor.expect(')')
    return expr
  }

  #name(): Expr | Steps<Expr> {
    const first = this.#cursor.current
    if (this.#cursor.beginsMessage()) return this.#aggregates.message()
    const dot = this.#cursor.accept('.') ? '.' : ''
    const name = this.#cursor.take()
    const open = this.#cursor.accept('(')
    if (open) return this.#function(first, dot, name, open)
    if (RESERVED.has(name.text)) return this.#nodes.fault(first.start, `reserved identifier: ${name.text}`)
    return { kind: 'ident', id: this.#nodes.idAt(name), name: dot + name.text }
  }

  *#function(first: Token, dot: string, name: Token, open: Token): Steps<Expr> {
    if (RESERVED.has(name.text)) {
      yield* this.#arguments()
      return this.#nodes.fault(first.start, `reserved identifier: ${name.text}`)
    }
    const id = this.#nodes.idAt(open)
    return yield* this.#nodes.expandedCall(id, dot + name.text, yield* this.#arguments())
  }

  #literal(): Expr {
    const first = this.#cursor.current
    const negative = this.#cursor.accept('-') !== undefined
    const token = this.#cursor.take()
    try {
      const literal = literalOf(token, negative)
      return { kind: 'literal', id: this.#nodes.idAt(first), literal }
    } catch (error) {
      if (error instanceof LiteralFault) return this.#nodes.fault(first.start, error.message)
      throw error
    }
  }
}
