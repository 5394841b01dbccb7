import type { Type } from '../type.ts'
import { type CostBounds, UNKNOWN } from './bounds.ts'

/** A part of an expression whose cost is estimated. */
export interface EstimatedNode {
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
  readonly cost: CostBounds
  readonly size?: CostBounds
}

/** A call of one signature. `args` does not include the target. Sizes are looked up with `sizeOfNode` and `sizeAt`. */
export interface EstimatedCall {
  readonly name: string
  readonly signature: string
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
  readonly sizeAt: SizeAt
  /** Returns the value of an argument that is an int literal. Undefined for any other argument. */
  readonly literalInt: (index: number) => bigint | undefined
}

/** Returns the size of a value, as stated by the expression or the schema. */
export const sizeOfNode = (node: EstimatedNode | undefined, sizeAt: SizeAt): CostBounds =>
  node?.size ?? (node?.path === undefined || node.path.length === 0 ? undefined : sizeAt(node.path)) ?? UNKNOWN
