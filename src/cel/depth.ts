import type { Expr } from './ast.ts'
import { NodeTable } from './node-table.ts'

/** Limit for the recursion of each grammar rule, and for the depth of the tree. */
const MAX_DEPTH = 250

/** Recursive rules of the grammar. */
type GrammarRule = 'expr' | 'relation' | 'calc' | 'member'

/** Counts the recursion depth of each grammar rule. */
export class RuleDepth {
  readonly #depths: Record<GrammarRule, number> = { expr: 0, relation: 0, calc: 0, member: 0 }
  readonly #tooDeep: (message: string) => never

  constructor(tooDeep: (message: string) => never) {
    this.#tooDeep = tooDeep
  }

  /** Enters a rule. Must be followed by `leave`, unless parsing stops. */
  enter(rule: GrammarRule): void {
    if (++this.#depths[rule] > MAX_DEPTH) this.#tooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`)
  }

  leave(rule: GrammarRule): void {
    this.#depths[rule]--
  }
}

/** Records the depth of the tree below each node. */
export class TreeDepths {
  readonly #depths = new NodeTable<number>()

  /**
   * Records and returns a node.
   * @param own levels that the node itself adds to the depth of its children.
   */
  of<T extends Expr>(node: T, own: 0 | 1, parts: readonly Expr[]): T {
    let depth = 0
    for (const part of parts) depth = Math.max(depth, this.#depths.get(part.id) ?? 0)
    this.#depths.set(node.id, depth + own)
    return node
  }

  /**
   * Reports whether the tree exceeds the limit. It is checked once, at the root, because cel-go reports the error
   * without a position.
   */
  isTooDeep(node: Expr): boolean {
    return (this.#depths.get(node.id) ?? 0) > MAX_DEPTH
  }
}
