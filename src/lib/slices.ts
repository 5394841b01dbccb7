import { nextTurn, turnIsSpent } from './turn.ts'

/** As `items.map(make)`, without holding the event loop for long. The clock is read once for `step` items. */
export async function mapInSlices<T, R>(items: readonly T[], make: (item: T) => R, step = 16): Promise<R[]> {
  const out: R[] = []
  for (const item of items) {
    if (out.length % step === 0 && turnIsSpent()) await nextTurn()
    out.push(make(item))
  }
  return out
}

/** As `items.forEach(look)`, without holding the event loop for long. */
export async function eachInSlices<T>(items: readonly T[], look: (item: T) => void, step = 16): Promise<void> {
  let i = 0
  for (const item of items) {
    if (i++ % step === 0 && turnIsSpent()) await nextTurn()
    look(item)
  }
}
