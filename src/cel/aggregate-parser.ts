import type { Steps } from '../lib/steps.ts'
import type { Expr, MapEntry, StructField } from './ast.ts'
import type { ExpressionBuilder } from './expression-builder.ts'
import { ESC_IDENTIFIER, IDENTIFIER } from './lexer.ts'
import type { TokenCursor } from './token-cursor.ts'
import { STARTS } from './token-sets.ts'

/** Parts of the parser that aggregates use. */
export interface AggregateParserParts {
  readonly cursor: TokenCursor
  readonly nodes: ExpressionBuilder
  /** Whether the optional syntax is enabled: `[?a]` and `{?a: b}`. */
  readonly optionalSyntax: boolean
  /** Reads an element or a value. */
  readonly expr: () => Steps<Expr>
}

/** The grammar rules of lists, maps and messages. A comma may follow the last element, entry or field. */
export class AggregateParser {
  readonly #cursor: TokenCursor
  readonly #nodes: ExpressionBuilder
  readonly #optionalSyntax: boolean
  readonly #expr: () => Steps<Expr>

  constructor({ cursor, nodes, optionalSyntax, expr }: AggregateParserParts) {
    this.#cursor = cursor
    this.#nodes = nodes
    this.#optionalSyntax = optionalSyntax
    this.#expr = expr
  }

  /** Reads a list, from its opening bracket. */
  *list(): Steps<Expr> {
    const id = this.#nodes.idAt(this.#cursor.take())
    const elements: Expr[] = []
    const optionals = new Set<number>()
    this.#cursor.expectOneOf([...STARTS, '?', ',', ']'])
    yield* this.#cursor.within([',', ']'], this.#eachElement(elements, optionals))
    this.#close(']')
    return this.#nodes.sized({ kind: 'list', id, elements, optionals }, 0, elements)
  }

  *#eachElement(elements: Expr[], optionals: Set<number>): Steps<void> {
    while (!this.#cursor.is(']') && !this.#cursor.is(',')) {
      if (this.#optionalMark()) optionals.add(elements.length)
      elements.push(yield* this.#expr())
      if (!this.#cursor.is(',') || !this.#cursor.elementFollows()) return
      this.#cursor.take()
    }
  }

  /**
   * Reads a map, from its opening brace. Ids are given to the map, then to each entry before its key, as in cel-go,
   * which costs and errors refer to.
   */
  *map(): Steps<Expr> {
    const id = this.#nodes.idAt(this.#cursor.take())
    const entries: MapEntry[] = []
    this.#cursor.expectOneOf([...STARTS, '?', ',', '}'])
    while (!this.#cursor.is('}') && !this.#cursor.is(',')) {
      const entryId = this.#nodes.newId(0)
      const optional = this.#optionalMark()
      const key = yield* this.#cursor.within([':'], this.#expr())
      this.#nodes.offsets.set(entryId, this.#cursor.expect(':').start)
      const value = yield* this.#cursor.within([',', '}'], this.#expr())
      entries.push({ id: entryId, key, value, optional })
      if (!this.#cursor.is(',') || !this.#cursor.elementFollows()) break
      this.#cursor.take()
    }
    this.#close('}')
    return this.#nodes.sized(
      { kind: 'map', id, entries },
      0,
      entries.flatMap(({ key, value }) => [key, value]),
    )
  }

  /**
   * Reads a message, from the name of its type. The caller has found that a brace follows the name. Ids are given as in
   * a map.
   */
  *message(): Steps<Expr> {
    let typeName = ''
    while (!this.#cursor.is('{')) typeName += this.#cursor.take().text
    const id = this.#nodes.idAt(this.#cursor.take())
    const fields: StructField[] = []
    const first = ['?', IDENTIFIER, ESC_IDENTIFIER]
    this.#cursor.expectOneOf([...first, '}', ','])
    while (first.includes(this.#cursor.current.type)) {
      const fieldId = this.#nodes.newId(0)
      const optional = this.#optionalMark()
      this.#cursor.expectOneOf([IDENTIFIER, ESC_IDENTIFIER])
      const name = this.#cursor.take()
      this.#nodes.offsets.set(fieldId, this.#cursor.expect(':').start)
      if (name.type === ESC_IDENTIFIER) this.#nodes.fault(name.start, "unsupported syntax: '`'")
      const value = yield* this.#cursor.within([',', '}'], this.#expr())
      fields.push({ id: fieldId, name: name.text, value, optional })
      if (!this.#cursor.is(',') || !first.includes(this.#cursor.peek().type)) break
      this.#cursor.take()
    }
    this.#close('}')
    return this.#nodes.sized(
      { kind: 'struct', id, typeName, fields },
      0,
      fields.map(({ value }) => value),
    )
  }

  #optionalMark(): boolean {
    const mark = this.#cursor.accept('?')
    if (mark && !this.#optionalSyntax) this.#nodes.fault(mark.start, "unsupported syntax '?'")
    return mark !== undefined
  }

  #close(bracket: ']' | '}'): void {
    this.#cursor.expectOneOf([bracket, ','])
    this.#cursor.accept(',')
    this.#cursor.expect(bracket)
  }
}
