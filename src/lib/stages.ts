import { type Awaitable, isPending } from './awaitable.ts'
import { nextLongTurn, turnIsLong, turnIsSpent } from './turn.ts'

/**
 * Work in stages: a generator that yields a promise to wait for its result, and nothing where other work may run. Steps
 * are stages without promises, so `yield* steps` runs them in place.
 */
export type Stages<T> = Generator<Promise<unknown> | undefined, T, unknown>

/**
 * Ends a stage: waits for its result, lets other work run if the turn has been long, and returns the result. Throws the
 * reason if the promise rejects.
 */
export function* stage<T>(result: Awaitable<T>): Stages<T> {
  const value = isPending(result) ? ((yield result) as T) : result
  if (turnIsLong()) yield
  return value
}

/**
 * Runs all stages. They share a turn as long as it is short and no stage waits. Once they have exceeded one, they are
 * long work, which only continues in a turn until it is spent.
 */
export async function runStages<T>(stages: Stages<T>): Promise<T> {
  let isOver = turnIsLong
  let state = stages.next()
  while (!state.done) {
    if (state.value !== undefined)
      state = await state.value.then(
        result => stages.next(result),
        error => stages.throw(error),
      )
    else {
      if (isOver()) {
        isOver = turnIsSpent
        await nextLongTurn()
      }
      state = stages.next()
    }
  }
  return state.value
}
