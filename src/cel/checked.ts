import type { Ast, ExprId, LiteralValue } from './ast.ts'
import type { ReadonlyNodeTable } from './node-table.ts'
import { BOOL, BYTES, DOUBLE, DYN, INT, NULL, STRING, type Type, UINT } from './type.ts'
import type { Int } from './values/value.ts'

/** Meaning of a name or a call: a variable, a type or a constant by its name, or overloads of a function. */
export type Reference =
  | { readonly kind: 'name'; readonly name: string; readonly constant?: Int }
  | { readonly kind: 'overloads'; readonly name: string; readonly ids: readonly string[] }

/** A checked expression, with the type of every node. */
export interface Checked {
  readonly ast: Ast
  readonly types: ReadonlyNodeTable<Type>
  /** References of names and calls. A select that is part of a dotted name has one as well. */
  readonly references: ReadonlyNodeTable<Reference>
  readonly result: Type
}

/** The type of a node. */
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

/** The type of a literal. */
export const literalType = ({ type }: LiteralValue): Type => LITERAL_TYPES[type]
