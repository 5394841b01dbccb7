/**
 * A value for all that one function calls, where it can't be an argument: for callbacks of an interface that has no place for it, or for hundreds of functions of which few ask. Synchronous, and so
 * without the cost of AsyncLocalStorage: the value is gone when the function returns or throws. A generator has to set it anew for each step. So neither another request nor another server of the
 * process ever sees it.
 */
export class CallContext<T> {
  #value: T | undefined

  /** The value of the innermost call; undefined outside of any. */
  get value(): T | undefined {
    return this.#value
  }

  /** Calls a function with the value set, and returns what it returns. Calls may nest. */
  run<R>(value: T, call: () => R): R {
    const outer = this.#value
    this.#value = value
    try {
      return call()
    } finally {
      this.#value = outer
    }
  }
}
