/** Returns the result of `run`, or undefined if it throws an error of this type. Other errors are rethrown. */
export function unlessThrown<T>(type: abstract new (...args: never[]) => Error, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof type) return undefined
    throw error
  }
}
