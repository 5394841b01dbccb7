import type { Type } from '../type.ts'
import { type CostBounds, UNKNOWN } from './bounds.ts'

/** A part of an expression whose cost is estimated. */
export interface EstimatedNode {
  /** Checked type. */
  readonly type: Type
  /**
   * Path of the value in the schema: a variable, then property names, `@items`, `@keys` and `@values`. Undefined for a
   * computed value.
   */
  readonly path: readonly string[] | undefined
  /** Size in characters, bytes, elements or entries. Undefined if only the schema may limit it. */
  readonly size: CostBounds | undefined
}

/** Returns the size of the value at a schema path. Undefined if it is unknown. */
export type SizeAt = (path: readonly string[]) => CostBounds | undefined

/** Estimated cost of a call without its arguments, and size of its result. */
export interface CallEstimate {
  /** Lower and upper bound. Evaluating the arguments is not included. */
  readonly cost: CostBounds
  /** Optional. Size of the result, by which calls on it are estimated. Defaults to unknown. */
  readonly size?: CostBounds
}

/** A call of one signature. `args` does not include the target. Sizes are looked up with `sizeOfNode` and `sizeAt`. */
export interface EstimatedCall {
  /** Name of the function or operator. */
  readonly name: string
  /** Identifies the overload that the checker chose: `matches_string`. */
  readonly signature: string
  /** Undefined for a global function. */
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
  /** Returns the sizes that the schema allows. */
  readonly sizeAt: SizeAt
  /** Returns the value of an argument that is an int literal. Undefined for any other argument. */
  readonly literalInt: (index: number) => bigint | undefined
}

/** Returns the size of a value, as stated by the expression or the schema. */
export const sizeOfNode = (node: EstimatedNode | undefined, sizeAt: SizeAt): CostBounds =>
  node?.size ?? (node?.path === undefined || node.path.length === 0 ? undefined : sizeAt(node.path)) ?? UNKNOWN
