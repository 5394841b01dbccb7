/** Makes a call once the calls before it have ended, and settles as it does. */
export type SerialCall = <T>(call: () => Promise<T>) => Promise<T>

/**
 * Returns a function that makes calls one after the other, in the order of its own calls. A call that rejects does not
 * keep the next one from being made.
 * @param after runs between two calls, and must not reject. Default: nothing.
 */
export function serialCalls(after?: () => Promise<void>): SerialCall {
  let last: Promise<unknown> = Promise.resolve()
  return call => {
    const done = last.then(call)
    const ended = done.catch(() => {})
    last = after ? ended.then(after) : ended
    return done
  }
}
