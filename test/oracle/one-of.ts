/**
 * Result of a table's function whose entries each expect one of several values. The tables load their modules apart, so
 * it is no class.
 */
export interface OneOf {
  readonly oneOf: readonly unknown[]
}

export const oneOf = (values: readonly unknown[]): OneOf => ({ oneOf: values })

/** Returns the values of which an entry expects one. */
export const candidatesOf = (result: unknown): readonly unknown[] =>
  typeof result === 'object' && result !== null && 'oneOf' in result ? (result as OneOf).oneOf : [result]
