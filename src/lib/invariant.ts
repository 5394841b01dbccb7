/** Thrown when the program breaks a promise to itself: a bug, never a client's mistake. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Asserts what must hold whatever the input was. A failure is a bug and becomes a 500, never a Status about the request. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** What must be there whatever the input was. */
export function defined<T>(value: T | undefined, message: string): T {
  invariant(value !== undefined, message)
  return value
}
