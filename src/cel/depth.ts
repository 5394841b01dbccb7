import type { Expr } from './ast.ts'
import { NodeTable } from './node-table.ts'

/** How deep rules of the grammar may nest in one another, and nodes of the tree. */
const MAX_DEPTH = 250

/** Rules of the grammar that are recursive. */
type Rule = 'expr' | 'relation' | 'calc' | 'member'

/** Counts how deep each rule of the grammar is inside itself. */
export class RuleDepth {
  readonly #depths: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 }
  readonly #tooDeep: (message: string) => never

  constructor(tooDeep: (message: string) => never) {
    this.#tooDeep = tooDeep
  }

  /** Has to be followed by `leave`, unless the parser stops. */
  enter(rule: Rule): void {
    if (++this.#depths[rule] > MAX_DEPTH) this.#tooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`)
  }

  leave(rule: Rule): void {
    this.#depths[rule]--
  }
}

/** How deep the tree below a node is, in nodes that count. */
export class TreeDepths {
  readonly #depths = new NodeTable<number>()

  /** Gives the node back. `own`: what it adds to the depth of its parts. */
  of<T extends Expr>(node: T, own: 0 | 1, parts: readonly Expr[]): T {
    let depth = 0
    for (const part of parts) depth = Math.max(depth, this.#depths.get(part.id) ?? 0)
    this.#depths.set(node.id, depth + own)
    return node
  }

  /** Asked of the root, once: upstream reports it without a place. */
  isTooDeep(node: Expr): boolean {
    return (this.#depths.get(node.id) ?? 0) > MAX_DEPTH
  }
}
