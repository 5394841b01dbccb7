/** Thrown for a query that cannot be compiled. The message names the position. */
export class JqSyntaxError extends Error {
  override readonly name = 'JqSyntaxError'
}

/** Error of a running query, such as an index of the wrong type. `?` and `try` handle it. */
export class JqError extends Error {
  override readonly name = 'JqError'
}

/** Thrown if a query takes too many steps or makes too large a value. No query can handle it. */
export class JqLimitError extends Error {
  override readonly name = 'JqLimitError'
}
