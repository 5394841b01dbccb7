/**
 * A value for everything that one function calls, if it cannot be an argument: in callbacks of an interface without a
 * parameter for it, or for hundreds of functions of which few read it. Synchronous, so it does not have the cost of
 * AsyncLocalStorage: the value is unset when the function returns or throws. A generator must set it for each step. No
 * other request or server of the process ever sees the value.
 */
export class CallContext<T> {
  #value: T | undefined

  /** Value of the innermost call. Undefined outside any call. */
  get value(): T | undefined {
    return this.#value
  }

  /** Calls a function with the value set, and returns its result. Calls may be nested. */
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
