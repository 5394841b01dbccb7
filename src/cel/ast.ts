import type { ReadonlyNodeTable } from './node-table.ts'

/**
 * Number of a node, unique within one expression. Nodes are numbered as in cel-go; costs and checked types are stored
 * by number.
 */
export type ExprId = number

/** Value of a literal. Integers are always bigint here. A running program represents the small ones as numbers. */
export type LiteralValue =
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'null_type'; readonly value: null }

/** `1`, `'a'`, `true` */
export interface LiteralExpr {
  readonly kind: 'literal'
  readonly id: ExprId
  /** Type and value. The type cannot be derived from the value alone: `1` and `1u` are both bigint. */
  readonly literal: LiteralValue
}

/** Identifier of a variable, type or constant, or the first part of a dotted name. */
export interface IdentExpr {
  readonly kind: 'ident'
  readonly id: ExprId
  /** Begins with a dot if the name is to be resolved in the outermost scope. */
  readonly name: string
}

/** `operand.field`. The parser makes nested selects of a dotted name; the checker decides whether they are one name. */
export interface SelectExpr {
  readonly kind: 'select'
  readonly id: ExprId
  /** Expression whose field is read. */
  readonly operand: Expr
  /** Name of the field, without quotes or backticks. */
  readonly field: string
  /** Whether the select tests for presence: `has(operand.field)`. */
  readonly testOnly: boolean
}

/** `name(args)`, `target.name(args)`, and every operator. */
export interface CallExpr {
  readonly kind: 'call'
  readonly id: ExprId
  /** Name of a function, or of an operator such as `_+_` (see operators.ts). */
  readonly name: string
  /** Receiver. Omitted for a global function and for operators. */
  readonly target?: Expr
  /** Arguments without the target. Operands of an operator, in the order of the source. */
  readonly args: readonly Expr[]
}

/** `[a, ?b]` */
export interface ListExpr {
  readonly kind: 'list'
  readonly id: ExprId
  readonly elements: readonly Expr[]
  /** Indexes of the elements written with `?`. Such an element is omitted if its optional is empty. */
  readonly optionals: ReadonlySet<number>
}

/** `key: value` or `?key: value`. Each entry has its own number, as in cel-go. */
export interface MapEntry {
  /** Number of the entry, which is not that of its key. */
  readonly id: ExprId
  readonly key: Expr
  readonly value: Expr
  /** Whether it is written with `?`. The entry is omitted if its optional is empty. */
  readonly optional: boolean
}

/** `{'a': 1}` */
export interface MapExpr {
  readonly kind: 'map'
  readonly id: ExprId
  /** Entries in the order of the source. Repeated keys are found during evaluation. */
  readonly entries: readonly MapEntry[]
}

/** `name: value` */
export interface StructField {
  readonly id: ExprId
  readonly name: string
  readonly value: Expr
  /** Whether it is written with `?`. The field stays unset if its optional is empty. */
  readonly optional: boolean
}

/** `Name{a: 1}`: a protobuf message or a struct that the environment declares. */
export interface StructExpr {
  readonly kind: 'struct'
  readonly id: ExprId
  /** Name as written: `Object.spec`. */
  readonly typeName: string
  /** Fields in the order of the source. */
  readonly fields: readonly StructField[]
}

/** A loop over `range`. Macros such as `all` and `map` expand to it. */
export interface ComprehensionExpr {
  readonly kind: 'comprehension'
  readonly id: ExprId
  /** List or map to iterate over. It is evaluated once. */
  readonly range: Expr
  /** Element of a list or key of a map. With a second variable: index of a list or key of a map. */
  readonly variable: string
  /** Element of a list or value of a map. Set in loops of two variables only. */
  readonly variable2?: string
  /** Variable that holds the intermediate result. `condition`, `step` and `result` can read it. */
  readonly accumulator: string
  /** First value of the accumulator. */
  readonly init: Expr
  /** Evaluated before each step. The loop ends when it is false. */
  readonly condition: Expr
  /** New value of the accumulator. */
  readonly step: Expr
  /** Value of the loop, evaluated after it has ended. */
  readonly result: Expr
}

/** Placeholder for an expression that could not be parsed. It never leaves the parser. */
export interface UnspecifiedExpr {
  readonly kind: 'unspecified'
  readonly id: ExprId
}

/** A node of a tree. Trees are immutable and share no nodes, because each node has its own number. */
export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr | UnspecifiedExpr

/** A parsed expression, with the offset of each node in the source, in code points. */
export interface Ast {
  readonly root: Expr
  /** Offsets by number of the node. */
  readonly offsets: ReadonlyNodeTable<number>
}

/** Returns the direct children of a node, in the order of their evaluation. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value])
    case 'struct':
      return expr.fields.map(({ value }) => value)
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
    case 'literal':
    case 'ident':
    case 'unspecified':
      return []
  }
}
