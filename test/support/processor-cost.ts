import { expect } from 'chai'

/** Milliseconds of processor time of the process since an earlier `process.cpuUsage()`. */
function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Returns the least processor time of three runs after one that is not measured, in milliseconds. */
function processorCost(measured: () => unknown): number {
  measured()
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    const before = process.cpuUsage()
    measured()
    best = Math.min(best, processorMsSince(before))
  }
  return best
}

/**
 * A square costs too much each time; a collection of all the garbage of the tests before may fall into a measurement.
 */
const ATTEMPTS = 3

/**
 * Fails where five times the elements cost about 25 times the processor time, as a square of them does. `prepare`:
 * makes what is measured for so many elements; its own time does not count. `few`: so many that a square of five times
 * as many would take more than 25 ms.
 */
export function expectNoSquare(prepare: (count: number) => () => unknown, few = 2000): void {
  const seen: string[] = []
  while (seen.length < ATTEMPTS) {
    const cost = processorCost(prepare(few))
    const fiveTimes = processorCost(prepare(5 * few))
    if (fiveTimes < 12 * cost + 25) return
    seen.push(`${cost.toFixed(1)} ms for ${few}, ${fiveTimes.toFixed(1)} for five times as many`)
  }
  expect.fail(seen.join('; '))
}

/** Fails if each of three runs takes more processor time than `mostMs` milliseconds. */
export async function expectWithin(mostMs: number, measured: () => unknown): Promise<void> {
  let best = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && best >= mostMs; attempt++) {
    const before = process.cpuUsage()
    await measured()
    best = Math.min(best, processorMsSince(before))
  }
  expect(best, 'milliseconds').to.be.below(mostMs)
}
