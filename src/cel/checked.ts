import type { Ast, ExprId, LiteralValue } from './ast.ts'
import type { ReadonlyNodeTable } from './node-table.ts'
import { BOOL, BYTES, DOUBLE, DYN, INT, NULL, STRING, type Type, UINT } from './type.ts'
import type { Int } from './values/value.ts'

/**
 * Meaning of a name or call: the qualified name of a variable, type or constant, or the matching overloads of a
 * function.
 */
export type CheckedReference =
  | { readonly kind: 'name'; readonly name: string; readonly constant?: Int }
  | { readonly kind: 'overloads'; readonly name: string; readonly ids: readonly string[] }

/** A type-checked expression, with the type of each node. */
export interface Checked {
  readonly ast: Ast
  readonly types: ReadonlyNodeTable<Type>
  /** References of identifiers and calls, and of selects that are part of a dotted name. */
  readonly references: ReadonlyNodeTable<CheckedReference>
  readonly result: Type
}

/** Returns the type of a node, or dyn if the checker recorded none. */
export const typeOfNode = ({ types }: Pick<Checked, 'types'>, id: ExprId): Type => types.get(id) ?? DYN

const LITERAL_TYPES: Readonly<Record<LiteralValue['type'], Type>> = {
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  bool: BOOL,
  null_type: NULL,
}

/** Type of a literal. Literals have a plain type: none is a wrapper or dyn. */
export const literalType = ({ type }: LiteralValue): Type => LITERAL_TYPES[type]
