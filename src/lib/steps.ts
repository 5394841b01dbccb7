import { nextTurn, turnIsLong } from './turn.ts'

/** Work in steps: a generator that yields wherever others may have their turn, and returns the result. What it works on must not change meanwhile. */
export type Steps<T> = Generator<undefined, T>

/** For small work, and where nothing may come between. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Leaves the rest to the next turn after each step that took long. */
export async function runInTurns<T>(steps: Steps<T>): Promise<T> {
  if (turnIsLong()) await nextTurn()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (turnIsLong()) await nextTurn()
  }
}
