/** There already, or to come: an `await` costs a write as much as some of its stages. */
export type Awaitable<T> = T | Promise<T>

/** Uses a value at once where it is there. Undefined: it has been used, and there is nothing to wait for. */
export function use<T>(value: Awaitable<T>, by: (value: T) => void): Promise<undefined> | undefined {
  if (!(value instanceof Promise)) return void by(value)
  return value.then(found => void by(found))
}
