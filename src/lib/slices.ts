import { nextTurn, turnIsSpent } from './turn.ts'

/**
 * Like `items.map(make)`, without holding the event loop for long. The clock is read once per `step` items, or after
 * each item while items take long.
 */
export async function mapInSlices<T, R>(items: readonly T[], make: (item: T) => R, step = 16): Promise<R[]> {
  const out: R[] = []
  await eachInSlices(
    items,
    item => {
      out.push(make(item))
    },
    step,
  )
  return out
}

/** Like `items.forEach(look)`, without holding the event loop for long. */
export async function eachInSlices<T>(items: readonly T[], look: (item: T) => void, step = 16): Promise<void> {
  let slice = 0
  let left = 0
  for (const item of items) {
    if (left-- === 0) {
      if (turnIsSpent()) {
        slice = 1
        await nextTurn()
      } else slice = Math.min(step, 2 * slice || 1)
      left = slice - 1
    }
    look(item)
  }
}
