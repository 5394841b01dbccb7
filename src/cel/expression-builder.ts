import type { Steps } from '../lib/steps.ts'
import type { Expr, ExprId } from './ast.ts'
import { TreeDepths } from './depth.ts'
import type { Issues } from './issues.ts'
import type { Token } from './lexer.ts'
import { expandMacro, MacroFault, type Macros } from './macros.ts'
import { NodeBuilder } from './node-builder.ts'
import type { NodeTable } from './node-table.ts'
import type { Source } from './source.ts'

/** Options of a builder that the parser chooses. */
export interface ExpressionBuilderOptions {
  /** Macros by name and number of arguments: `has:1`, `all:2:member`. */
  readonly macros: Macros
  /** Called if an expression exceeds the node limit. Must throw. */
  readonly tooMany: (message: string) => never
}

/** Makes the nodes of the tree. Numbers them as cel-go does, expands macros, and records the depth of each node. */
export class ExpressionBuilder {
  readonly #source: Source
  readonly #issues: Issues
  readonly #macros: Macros
  readonly #nodes: NodeBuilder
  readonly #depths = new TreeDepths()

  constructor(source: Source, issues: Issues, { macros, tooMany }: ExpressionBuilderOptions) {
    this.#source = source
    this.#issues = issues
    this.#macros = macros
    this.#nodes = new NodeBuilder(tooMany)
  }

  /** Offsets of the nodes in the source, in code points. */
  get offsets(): NodeTable<number> {
    return this.#nodes.offsets
  }

  /** Returns the next number, for a node at an offset. Throws what `tooMany` throws. */
  newId(offset: number): ExprId {
    return this.#nodes.newId(offset)
  }

  /** Returns the next number, for a node at the beginning of a token. */
  idAt(token: Token): ExprId {
    return this.#nodes.newId(token.start)
  }

  /** Reports a syntax error and returns a placeholder node. */
  fault(offset: number, message: string): Expr {
    this.#issues.report(this.#source.locationOf(offset), message)
    return { kind: 'unspecified', id: this.#nodes.newId(offset) }
  }

  /**
   * Records the depth of a node.
   * @param own levels that the node itself adds.
   */
  sized(expr: Expr, own: 0 | 1, parts: readonly Expr[]): Expr {
    return this.#depths.of(expr, own, parts)
  }

  /** Reports whether the tree is deeper than the parser allows. */
  isTooDeep(expr: Expr): boolean {
    return this.#depths.isTooDeep(expr)
  }

  /** Makes a call of an operator. Operators are never macros. */
  call(id: ExprId, name: string, args: readonly Expr[], own: 0 | 1): Expr {
    return this.#depths.of({ kind: 'call', id, name, args }, own, args)
  }

  /** Makes a call `name(args)`, or the expansion of the macro of that name. */
  *expandedCall(id: ExprId, name: string, args: readonly Expr[]): Steps<Expr> {
    const [first] = args
    const expanded = first && (yield* this.#expand(`${name}:${args.length}`, { id, args, target: first }))
    return this.#depths.of(expanded ?? { kind: 'call', id, name, args }, 0, args)
  }

  /** Makes a call `target.name(args)`, or the expansion of the macro of that name. */
  *memberCall(id: ExprId, name: string, target: Expr, args: readonly Expr[]): Steps<Expr> {
    const expanded = yield* this.#expand(`${name}:${args.length}:member`, { id, args, target })
    return this.#depths.of(expanded ?? { kind: 'call', id, name, target, args }, 1, [target, ...args])
  }

  /** Expands a macro. Undefined if the key is not one. A misused macro is reported and becomes a placeholder. */
  *#expand(key: string, call: { readonly id: ExprId; readonly args: readonly Expr[]; readonly target: Expr }): Steps<Expr | undefined> {
    const expand = this.#macros.get(key)
    if (!expand) return undefined
    const expanded = yield* expandMacro(expand, this.#nodes, call)
    return expanded instanceof MacroFault ? this.fault(expanded.offset, expanded.message) : expanded
  }
}
