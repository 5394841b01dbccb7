/** Milliseconds of CPU, the best of some. */
export function processorCost(measured: () => unknown): number {
  measured()
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    const before = process.cpuUsage()
    measured()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}
