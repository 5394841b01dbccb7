import { isStepDone, type Steps } from '../lib/steps.ts'
import type { Expr, ExprId, LiteralValue, MapEntry, StructField } from './ast.ts'
import { NodeTable } from './node-table.ts'

/** Name of the hidden variable that holds a loop's result. */
export const ACCUMULATOR = '@result'

/**
 * Limit for the nodes of an expression. Macros of optionals duplicate their target, so that a chain of them grows
 * exponentially. No expression without such a chain reaches the limit.
 */
const MAX_NODES = 200_000

/** Numbers nodes in cel-go's order. */
export class NodeBuilder {
  /** Offset of each node in the source, in code points. */
  readonly offsets = new NodeTable<number>()
  #next: ExprId = 1
  readonly #tooMany: (message: string) => never

  /** @param tooMany called if the node limit is exceeded. Must throw. */
  constructor(tooMany: (message: string) => never) {
    this.#tooMany = tooMany
  }

  /** Returns the next number. Throws what `tooMany` throws. */
  newId(offset: number): ExprId {
    if (this.#next > MAX_NODES) this.#tooMany(`expression node limit exceeded: ${MAX_NODES}`)
    const id = this.#next++
    this.offsets.set(id, offset)
    return id
  }

  /** Releases the number of a call that a macro replaces. It is reused if it was the last one. */
  release(id: ExprId): void {
    this.offsets.delete(id)
    if (id === this.#next - 1) this.#next--
  }

  /** Returns the offset of a node. Undefined if its number was released. */
  offsetOf(id: ExprId): number | undefined {
    return this.offsets.get(id)
  }
}

/** Parts of a loop, in the order in which they must be made: cel-go numbers nodes in this order. */
export interface LoopParts {
  readonly range: Expr
  /** Names of one or two loop variables. */
  readonly variables: readonly [string, string?]
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
  /** Optional. Default: the hidden variable of macros. */
  readonly accumulator?: string
}

/**
 * Makes the nodes of a macro's expansion. Each method makes one node with a number of its own, at the position of the
 * call.
 */
export class MacroBuilder {
  readonly #nodes: NodeBuilder
  readonly #offset: number

  constructor(nodes: NodeBuilder, call: ExprId) {
    this.#nodes = nodes
    this.#offset = nodes.offsetOf(call) ?? 0
  }

  #id(): ExprId {
    return this.#nodes.newId(this.#offset)
  }

  literal(literal: LiteralValue): Expr {
    return { kind: 'literal', id: this.#id(), literal }
  }

  bool(value: boolean): Expr {
    return this.literal({ type: 'bool', value })
  }

  int(value: bigint): Expr {
    return this.literal({ type: 'int', value })
  }

  ident(name: string): Expr {
    return { kind: 'ident', id: this.#id(), name }
  }

  /** The accumulator variable of the loop. */
  accumulator(): Expr {
    return this.ident(ACCUMULATOR)
  }

  list(...elements: Expr[]): Expr {
    return { kind: 'list', id: this.#id(), elements, optionals: new Set() }
  }

  map(): Expr {
    return { kind: 'map', id: this.#id(), entries: [] }
  }

  call(name: string, ...args: Expr[]): Expr {
    return { kind: 'call', id: this.#id(), name, args }
  }

  memberCall(name: string, target: Expr, ...args: Expr[]): Expr {
    return { kind: 'call', id: this.#id(), name, target, args }
  }

  /** A presence test: `has(operand.field)`. */
  presence(operand: Expr, field: string): Expr {
    return { kind: 'select', id: this.#id(), operand, field, testOnly: true }
  }

  /** Makes a loop of parts that have been made in the order of LoopParts. */
  loop({ variables, accumulator = ACCUMULATOR, ...parts }: LoopParts): Expr {
    const [variable, variable2] = variables
    const second = variable2 === undefined ? {} : { variable2 }
    return { kind: 'comprehension', id: this.#id(), variable, ...second, accumulator, ...parts }
  }

  /** Copies a tree. The copy has its own numbers. */
  *copy(expr: Expr): Steps<Expr> {
    if (isStepDone()) yield
    const id = this.#nodes.newId(this.#nodes.offsetOf(expr.id) ?? this.#offset)
    switch (expr.kind) {
      case 'literal':
      case 'ident':
      case 'unspecified':
        return { ...expr, id }
      case 'select':
        return { ...expr, id, operand: yield* this.copy(expr.operand) }
      case 'call': {
        const args = yield* this.#copies(expr.args)
        return expr.target ? { ...expr, id, args, target: yield* this.copy(expr.target) } : { ...expr, id, args }
      }
      case 'list':
        return { ...expr, id, elements: yield* this.#copies(expr.elements) }
      case 'map': {
        const entries: MapEntry[] = []
        for (const entry of expr.entries)
          entries.push({ ...entry, id: this.#id(), key: yield* this.copy(entry.key), value: yield* this.copy(entry.value) })
        return { ...expr, id, entries }
      }
      case 'struct': {
        const fields: StructField[] = []
        for (const field of expr.fields) fields.push({ ...field, id: this.#id(), value: yield* this.copy(field.value) })
        return { ...expr, id, fields }
      }
      case 'comprehension': {
        const range = yield* this.copy(expr.range)
        const init = yield* this.copy(expr.init)
        const condition = yield* this.copy(expr.condition)
        const step = yield* this.copy(expr.step)
        return { ...expr, id, range, init, condition, step, result: yield* this.copy(expr.result) }
      }
    }
  }

  *#copies(exprs: readonly Expr[]): Steps<Expr[]> {
    const copies: Expr[] = []
    for (const expr of exprs) copies.push(yield* this.copy(expr))
    return copies
  }
}
