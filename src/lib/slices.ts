import { setImmediate } from 'node:timers/promises'

/** Milliseconds of work before the event loop has its turn. */
const SLICE_MS = 4

/** As `items.map(make)`, without holding the event loop for long. The clock is read once for `step` items. */
export async function mapInSlices<T, R>(items: readonly T[], make: (item: T) => R, step = 16): Promise<R[]> {
  const out: R[] = []
  let until = performance.now() + SLICE_MS
  for (const item of items) {
    if (out.length % step === 0 && out.length > 0 && performance.now() > until) {
      await setImmediate()
      until = performance.now() + SLICE_MS
    }
    out.push(make(item))
  }
  return out
}
