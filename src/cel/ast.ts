import type { ReadonlyNodeTable } from './node-table.ts'

/** Number of a node, unique within one expression, counted as cel-go counts: costs and checked types are kept by it. */
export type ExprId = number

/** Integers are bigint here whatever their size: only a running program has numbers for the small ones. */
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
  readonly literal: LiteralValue
}

/** A name: of a variable, a type or a constant, or the first part of a name with dots. */
export interface IdentExpr {
  readonly kind: 'ident'
  readonly id: ExprId
  /** Begins with a dot where the expression asks for the outermost name. */
  readonly name: string
}

/** `operand.field`. A name with dots is a row of these, until the checker knows better. */
export interface SelectExpr {
  readonly kind: 'select'
  readonly id: ExprId
  readonly operand: Expr
  readonly field: string
  /** A test for presence: what `has(operand.field)` becomes. */
  readonly testOnly: boolean
}

/** `name(args)`, `target.name(args)`, and every operator. */
export interface CallExpr {
  readonly kind: 'call'
  readonly id: ExprId
  /** Name of a function, or of an operator such as `_+_` (see operators.ts). */
  readonly name: string
  readonly target?: Expr
  readonly args: readonly Expr[]
}

/** `[a, ?b]` */
export interface ListExpr {
  readonly kind: 'list'
  readonly id: ExprId
  readonly elements: readonly Expr[]
  /** Indexes of the elements written with `?`: they are left out when their optional is empty. */
  readonly optionals: ReadonlySet<number>
}

/** `key: value` or `?key: value`. Entries have numbers of their own, as in cel-go. */
export interface MapEntry {
  readonly id: ExprId
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

/** `{'a': 1}` */
export interface MapExpr {
  readonly kind: 'map'
  readonly id: ExprId
  readonly entries: readonly MapEntry[]
}

/** `name: value` */
export interface StructField {
  readonly id: ExprId
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

/** `Name{a: 1}`: a message of protobuf, or a struct of the environment. */
export interface StructExpr {
  readonly kind: 'struct'
  readonly id: ExprId
  readonly typeName: string
  readonly fields: readonly StructField[]
}

/** A loop over `range`: what the macros become. */
export interface ComprehensionExpr {
  readonly kind: 'comprehension'
  readonly id: ExprId
  readonly range: Expr
  /** Element of a list or key of a map; with a second variable, index of a list or key of a map. */
  readonly variable: string
  /** Element of a list or value of a map, in loops of two variables. */
  readonly variable2?: string
  readonly accumulator: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** Stands where an error was reported. It never leaves the parser. */
export interface UnspecifiedExpr {
  readonly kind: 'unspecified'
  readonly id: ExprId
}

/** One node of a tree. Trees are immutable, and share nothing: each node has a number of its own. */
export type Expr = LiteralExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr | UnspecifiedExpr

/** A parsed expression: its tree, and where in the source, in code points, each node begins. */
export interface Ast {
  readonly root: Expr
  readonly offsets: ReadonlyNodeTable<number>
}

/** The nodes directly below one, in the order in which they are evaluated. */
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
