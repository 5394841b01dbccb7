/**
 * A value or a promise of it. An `await` costs a write as much as some of its stages, so values that exist are passed
 * on without one.
 */
export type Awaitable<T> = T | Promise<T>

/** Whether the value is a promise. */
export const isPending = <T>(value: Awaitable<T>): value is Promise<T> => value instanceof Promise

/** Returns the result of `then`, which is called with the value: synchronously unless it is a promise. */
export const after = <T, R>(value: Awaitable<T>, then: (value: T) => R): R | Promise<Awaited<R>> =>
  isPending(value) ? value.then(found => Promise.resolve(then(found))) : then(value)

/** Returns the value, or the result of `rescue` if it is a promise that rejects. */
export const recover = <T, U>(value: Awaitable<T>, rescue: (reason: unknown) => Awaitable<U>): Awaitable<T | U> =>
  isPending(value) ? value.catch(rescue) : value

/** Returns all values, as a promise only if one of them is one. */
export const all = <T>(values: readonly Awaitable<T>[]): Awaitable<readonly T[]> => {
  const exists = (each: Awaitable<T>): each is T => !isPending(each)
  return values.every(exists) ? values : Promise.all(values)
}

/**
 * Calls `by` with the value, synchronously unless it is a promise. Returns undefined if the call has been made,
 * otherwise a promise of it.
 */
export function use<T>(value: Awaitable<T>, by: (value: T) => void): Promise<undefined> | undefined {
  if (!isPending(value)) return void by(value)
  return value.then(found => void by(found))
}
