/** A violated invariant: a bug in the program, never a client's mistake. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/**
 * Asserts a condition that holds whatever the input is. A failure is a bug and becomes a 500, never a Status about the
 * request.
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** Returns a value that is defined whatever the input is. Throws InvariantError otherwise. */
export function defined<T>(value: T | undefined, message: string): T {
  invariant(value !== undefined, message)
  return value
}
