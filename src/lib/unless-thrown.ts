/** What `run` returns, or undefined where it throws an error of this type. Anything else is thrown on. */
export function unlessThrown<T>(type: abstract new (...args: never[]) => Error, run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof type) return undefined
    throw error
  }
}
