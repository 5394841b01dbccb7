import type { Type } from '../type.ts'
import { type Bounds, UNKNOWN } from './bounds.ts'

/** What is known of a part of an expression when its cost is estimated. */
export interface EstimatedNode {
  readonly type: Type
  /** Where in the schema its values are: a variable, then properties, `@items`, `@keys` and `@values`. Absent where they are nowhere. */
  readonly path: readonly string[] | undefined
  /** Characters, bytes, elements or entries; undefined: the schema may bound them. */
  readonly size: Bounds | undefined
}

/** How large values at a path of the schema may be; undefined where that is not known. */
export type SizeAt = (path: readonly string[]) => Bounds | undefined

/** What a call is estimated to cost beside its arguments, and how large its result is. */
export interface CallEstimate {
  readonly cost: Bounds
  readonly size?: Bounds
}

/** A call whose cost is estimated. */
export interface EstimatedCall {
  readonly name: string
  readonly signature: string
  readonly target: EstimatedNode | undefined
  readonly args: readonly EstimatedNode[]
  readonly sizeAt: SizeAt
  /** The number that an argument is, if it is a literal int. */
  readonly literalInt: (index: number) => bigint | undefined
}

/** The size of a value, from the expression or the schema. */
export const sizeOfNode = (node: EstimatedNode | undefined, sizeAt: SizeAt): Bounds =>
  node?.size ?? (node?.path === undefined || node.path.length === 0 ? undefined : sizeAt(node.path)) ?? UNKNOWN
