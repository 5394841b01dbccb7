import { nextTurn, turnIsSpent } from './turn.ts'

/**
 * Work in steps, each of which takes far less than a turn of the event loop: it yields where it may be left for a while. What it works on is its own until it has ended.
 */
export type Steps<T> = Generator<void, T, undefined>

/** Does the work and lets others have their turns meanwhile. Rejects with the signal's reason, between two steps, once nobody waits for the result. */
export async function inTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (!turnIsSpent()) continue
    await nextTurn()
    signal?.throwIfAborted()
  }
}

/** Does the work at once: for what is known to be small. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

const RUN = 2048

/** The items in order, equal ones as they stood: what `sort` does, in steps. */
export function* sorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = []
  for (let i = 0; i < items.length; i += RUN) {
    runs.push(items.slice(i, i + RUN).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let i = 0; i < runs.length; i += 2) longer.push(runs[i + 1] ? yield* merged(runs[i]!, runs[i + 1]!, compare) : runs[i]!)
    runs = longer
  }
  return runs[0] ?? []
}

function* merged<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const out: T[] = []
  let i = 0
  let j = 0
  while (i < left.length && j < right.length) {
    out.push(compare(left[i]!, right[j]!) <= 0 ? left[i++]! : right[j++]!)
    if (out.length % RUN === 0) yield
  }
  for (; i < left.length; i++) out.push(left[i]!)
  for (; j < right.length; j++) out.push(right[j]!)
  return out
}
