/** How deep rules of the grammar may nest in one another, and nodes of the tree. */
export const MAX_DEPTH = 250

type Rule = 'expr' | 'relation' | 'calc' | 'member'

/** Counts how deep each rule of the grammar is inside itself. */
export class RuleDepth {
  readonly #depths: Record<Rule, number> = { expr: 0, relation: 0, calc: 0, member: 0 }
  readonly #tooDeep: (message: string) => never

  constructor(tooDeep: (message: string) => never) {
    this.#tooDeep = tooDeep
  }

  enter(rule: Rule): void {
    if (++this.#depths[rule] > MAX_DEPTH) this.#tooDeep(`expression recursion limit exceeded: ${MAX_DEPTH}`)
  }

  leave(rule: Rule): void {
    this.#depths[rule]--
  }
}
