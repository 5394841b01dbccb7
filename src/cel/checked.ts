import type { Ast, ExprId, LiteralValue } from './ast.ts'
import type { ReadonlyNodeTable } from './node-table.ts'
import { BOOL, BYTES, DOUBLE, DYN, INT, NULL, STRING, type Type, UINT } from './type.ts'
import type { Int } from './values/value.ts'

/** What a name or a call was found to mean. */
export type Reference =
  | { readonly kind: 'name'; readonly name: string; readonly constant?: Int }
  | { readonly kind: 'overloads'; readonly name: string; readonly ids: readonly string[] }

/** A tree whose types fit. */
export interface Checked {
  readonly ast: Ast
  readonly types: ReadonlyNodeTable<Type>
  /** Of names and calls; a select that is part of a dotted name has one as well. */
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
