/** A value or a promise of it. An `await` costs a write as much as some of its stages, so values that exist are passed on without one. */
export type Awaitable<T> = T | Promise<T>

/** Calls `by` with the value, synchronously unless it is a promise. Returns undefined if the call has been made, otherwise a promise of it. */
export function use<T>(value: Awaitable<T>, by: (value: T) => void): Promise<undefined> | undefined {
  if (!(value instanceof Promise)) return void by(value)
  return value.then(found => void by(found))
}
