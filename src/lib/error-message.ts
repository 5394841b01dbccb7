/** Returns the message of a thrown value of any type. */
export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** Returns the result of `run`. If it throws, throws an Error whose message has the prefix. */
export function prefixErrors<T>(prefix: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw new Error(`${prefix}: ${errorMessage(error)}`)
  }
}
