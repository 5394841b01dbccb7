/** Names of the binary operators whose operands are values. */
export type ValueOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>='

/** A member of an object under construction. The key is a node that returns strings. */
export interface ObjectEntry {
  readonly key: JqNode
  readonly value: JqNode
}

/** A branch of `if`. */
export interface Branch {
  readonly condition: JqNode
  readonly result: JqNode
}

/** Syntax tree of a query. `at` is the offset in the text, if an error of the node may name it. */
export type JqNode =
  | { readonly kind: 'identity' }
  | { readonly kind: 'recurse' }
  | { readonly kind: 'literal'; readonly value: null | boolean | number | bigint | string }
  | { readonly kind: 'index'; readonly target: JqNode; readonly index: JqNode }
  | { readonly kind: 'slice'; readonly target: JqNode; readonly from: JqNode | undefined; readonly to: JqNode | undefined }
  | { readonly kind: 'iterate'; readonly target: JqNode }
  | { readonly kind: 'try'; readonly body: JqNode; readonly handler: JqNode | undefined }
  | { readonly kind: 'pipe'; readonly left: JqNode; readonly right: JqNode }
  | { readonly kind: 'comma'; readonly left: JqNode; readonly right: JqNode }
  | { readonly kind: 'alternative'; readonly left: JqNode; readonly right: JqNode }
  | { readonly kind: 'or' | 'and'; readonly left: JqNode; readonly right: JqNode }
  | { readonly kind: 'operator'; readonly operator: ValueOperator; readonly left: JqNode; readonly right: JqNode }
  | { readonly kind: 'negate'; readonly operand: JqNode }
  | { readonly kind: 'bind'; readonly source: JqNode; readonly name: string; readonly body: JqNode }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: JqNode | undefined }
  | { readonly kind: 'text'; readonly parts: readonly (string | JqNode)[] }
  | { readonly kind: 'array'; readonly items: JqNode | undefined }
  | { readonly kind: 'object'; readonly entries: readonly ObjectEntry[] }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly JqNode[]; readonly at: number }
